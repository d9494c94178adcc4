export type Fence = Readonly<{
    /** The words after the backticks: `ts throws E_TTL_INVALID`. */
    info: string;
    code: string;
    /** The line of the first line of code, from 1. */
    line: number;
}>;
export type Heading = Readonly<{
    text: string;
    line: number;
    anchor: string;
}>;
export type Link = Readonly<{
    target: string;
    line: number;
}>;
/** Lists the fenced blocks, without the indentation a list gives them. */
export declare function readFences(markdown: string): readonly Fence[];
/** Lists the headings, with `#` and underlined, outside fenced code. */
export declare function readHeadings(markdown: string): readonly Heading[];
/** Lists the anchors a link may name: those of headings, and of `<a id="…">`. */
export declare function readAnchors(markdown: string): readonly string[];
/** Lists the targets of links, images and link definitions, outside code. */
export declare function readLinks(markdown: string): readonly Link[];
