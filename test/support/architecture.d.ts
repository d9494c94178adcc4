/** A file by its path under `src/`, with forward slashes. */
export type SourceText = Readonly<{
    path: string;
    text: string;
}>;
export type Room = Readonly<{
    name: string;
    mayImport: readonly string[];
    /** Rooms of which only the types may be imported. */
    typesOf?: readonly string[];
    /** External packages, by name. */
    packages?: readonly string[];
    /** Must run where there is no Node: no `node:` modules, nothing taken from its surroundings. */
    browser?: boolean;
}>;
/** A use that the rules forbid everywhere else; `path` is a file, or a folder when it ends in `/`. */
export type Exception = Readonly<{
    path: string;
    uses: readonly string[];
    why: string;
}>;
export type Rules = Readonly<{
    rooms: readonly Room[];
    ambient: readonly string[];
    exceptions: readonly Exception[];
    maxLines: number;
}>;
export type Rule = 'rooms' | 'doors' | 'packages' | 'browser' | 'ambient' | 'names' | 'length' | 'cycles';
export type Violation = Readonly<{
    rule: Rule;
    at: string;
    message: string;
}>;
/** The one file outside the rooms: what the package offers. */
export declare const ENTRY = "index.ts";
/** Lists every violation, in the order of the files. */
export declare function checkArchitecture(files: readonly SourceText[], rules: Rules): readonly Violation[];
/** Lists the exceptions whose file is there but no longer needs them. */
export declare function findIdleExceptions(files: readonly SourceText[], rules: Rules): readonly string[];
