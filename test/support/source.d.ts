import ts from 'typescript';
export type Import = Readonly<{
    specifier: string;
    line: number;
    /** `type` leaves no trace at run time; `dynamic` loads later, so it cannot close a load cycle. */
    kind: 'value' | 'type' | 'dynamic';
}>;
/**
 * A name used as a value, with the properties read from it, in the way it is used: `Math.random()`, `new Date`,
 * `process.env.HOME`. A property by itself, whatever it is read from, starts with a dot: `.localeCompare`.
 */
export type Use = Readonly<{
    name: string;
    line: number;
}>;
export declare function parseSource(file: string, text: string): ts.SourceFile;
/** Lists every import and re-export, `import()` in code and in types included. An `import()` of a computed name has specifier `*`. */
export declare function readImports(source: ts.SourceFile): readonly Import[];
/** Lists every name used as a value; `globalThis.x` counts as `x`, `x['y']` as `x.y`, and `typeof x` as no use. */
export declare function readUses(source: ts.SourceFile): readonly Use[];
/** Lists the lines with `export *`, which hides what a room offers; `export * as name` names it. */
export declare function readStarExports(source: ts.SourceFile): readonly number[];
/** Gives the package a bare specifier belongs to: `@noble/hashes/sha2.js` to `@noble/hashes`. */
export declare function packageOf(specifier: string): string;
/** Resolves a relative specifier to a path with forward slashes, from the folder of `file`. */
export declare function resolveRelative(file: string, specifier: string): string;
