// Reads an export in tests without the engine's own parser: created_at_ns becomes a bigint, as the oracle has it.
export function decodeJson(text) {
    return JSON.parse(text.replaceAll(/"created_at_ns":(-?\d+)/g, '"created_at_ns":"ns$1"'), (_name, value) => typeof value === 'string' && /^ns-?\d+$/.test(value) ? BigInt(value.slice(2)) : value);
}
