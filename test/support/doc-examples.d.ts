export type Example = Readonly<{
    /** The document, relative to the root. */
    file: string;
    /** Where the code begins, and the part that names the example: the throwing one, else the first. */
    line: number;
    /** The code on the lines it has in its document, so that errors name those. */
    source: string;
    /** The line on which the part begins that must throw, and the code it must throw with. */
    throws?: Readonly<{
        code: string;
        line: number;
    }>;
    /** Why it is not run. */
    noRun?: string;
}>;
export type ExampleHome = Readonly<{
    folder: string;
    remove: () => void;
}>;
/** Reads the runnable examples of a Markdown text. Throws when a fence says something the convention does not know. */
export declare function readMarkdownExamples(file: string, markdown: string): readonly Example[];
/** Reads the `@example` tags of the doc comments in a source text; a tag holds plain code or fences. */
export declare function readCommentExamples(file: string, text: string): readonly Example[];
/** Makes a folder for example modules in which `pact-context` resolves to `packageRoot`, as if it were installed there. */
export declare function makeExampleHome(packageRoot: string): ExampleHome;
/** Runs one example; gives what went wrong, or undefined. */
export declare function runExample(example: Example, home: ExampleHome, root: string): Promise<string | undefined>;
