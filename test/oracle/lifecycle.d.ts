export type OracleSpec = {
    content?: unknown;
    zone?: 'pre' | 'core' | 'post';
    region?: 'sys';
    offset?: number;
    ttl?: number | null;
    priority?: number;
    role?: string;
    kind?: string;
    key?: string;
    tags?: string[];
    refs?: string[];
    removable?: boolean;
    pinned?: boolean;
    nodeType?: string;
    data_call_id?: string | string[];
    children?: OracleSpec[];
};
export type OraclePolicy = {
    maxNodes?: number;
    maxNodesPerSegment?: number;
    maxDepth?: number;
    maxTokens?: number | Partial<Record<'^sys' | '^seq' | '^ah', number>>;
    protectSegments?: number;
    unmet?: 'report' | 'error';
};
export type OracleReceipt = {
    removed: {
        id: string;
        rule: string;
        priority: number;
        age: number;
    }[];
    unmet: {
        rule: string;
        limit: number;
        actual: number;
    }[];
};
/** One context, modelled as plainly as the rules are written. */
export declare class Oracle {
    #private;
    constructor(options: {
        dialect: '1.0' | '0.1';
        clock: () => bigint;
        prune?: OraclePolicy;
        countTokens?: (text: string) => number;
    });
    get cycle(): number;
    /** Adds a node, with its children, to `^sys` or to the active head (D17). */
    add(spec: OracleSpec): string;
    /** Keeps a node alive until the returned function is called (D26). Holds add up. */
    hold(id: string): () => void;
    /** Expiry with cascade, pruning with cascade, sealing, snapshot (03 §7, D25). All or nothing. */
    commit(): OracleReceipt;
    /** The tree in the documents' form: the live one, or the snapshot of a cycle. */
    tree(lens: 'working' | number): unknown;
    /** The provider thread (02 §12, D36): every block, and any other node with content. */
    thread(lens: 'working' | number): {
        id: string;
        role?: string;
        kind?: string;
        content: unknown;
    }[];
}
