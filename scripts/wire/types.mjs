// Types of the providers' clients as JSON Schemas, with no additional properties. scripts/wire-schemas.mjs and scripts/wire.mjs read them.

import { join } from 'node:path'

import ts from 'typescript'

/** @type {ts.CompilerOptions} */
const OPTIONS = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
}

/**
 * @typedef {{
 *   $defs?: Record<string, Schema>, $ref?: string, type?: string, const?: string | number | boolean, enum?: (string | number)[], not?: Schema, bytes?: true, anyOf?: Schema[],
 *   items?: Schema, properties?: Record<string, Schema>, required?: string[], additionalProperties?: boolean | Schema,
 * }} Schema
 */

/**
 * The schema of each type by its name. `sources` has TypeScript for each name that exports one type; it imports from the node_modules that are
 * found from `folder` on.
 *
 * @param {Readonly<Record<string, string>>} sources
 * @param {string} folder
 * @returns {Record<string, Schema>}
 */
export function schemasOf(sources, folder) {
  const files = new Map(Object.entries(sources).map(([name, text]) => [join(folder, `${name}.virtual.mts`), text]))
  const host = ts.createCompilerHost(OPTIONS)
  const base = ts.createCompilerHost(OPTIONS)
  host.fileExists = (path) => files.has(path) || base.fileExists(path)
  host.readFile = (path) => files.get(path) ?? base.readFile(path)
  const program = ts.createProgram([...files.keys()], OPTIONS, host)
  const checker = program.getTypeChecker()
  return Object.fromEntries(
    Object.keys(sources).map((name) => {
      const file = /** @type {ts.SourceFile} */ (program.getSourceFile(join(folder, `${name}.virtual.mts`)))
      const errors = program.getSemanticDiagnostics(file)
      if (errors.length > 0) throw new Error(ts.formatDiagnostics(errors, { ...host, getNewLine: () => '\n' }))
      const module = /** @type {ts.Symbol} */ (checker.getSymbolAtLocation(file))
      const [exported] = checker.getExportsOfModule(module)
      if (exported === undefined) throw new Error(`${name} exports no type.`)
      return [name, schemaOf(checker.getDeclaredTypeOfSymbol(exported), checker)]
    }),
  )
}

/**
 * @param {ts.Type} type
 * @param {ts.TypeChecker} checker
 * @returns {Schema}
 */
function schemaOf(type, checker) {
  /** @type {Map<ts.Type, string>} */
  const names = new Map()
  /** @type {Record<string, Schema>} */
  const $defs = {}
  const top = write(type)
  return { ...top, $defs }

  /**
   * @param {ts.Type} type
   * @returns {Schema}
   */
  function write(type) {
    const { flags } = type
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {}
    if (flags & (ts.TypeFlags.Never | ts.TypeFlags.Undefined)) return { not: {} }
    if (flags & ts.TypeFlags.Null) return { type: 'null' }
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value }
    if (flags & ts.TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === 'true' }
    if (flags & ts.TypeFlags.StringLike) return { type: 'string' }
    if (flags & ts.TypeFlags.NumberLike) return { type: 'number' }
    if (flags & ts.TypeFlags.Boolean) return { type: 'boolean' }
    // By name, since JSON in a request is a union that holds itself.
    if (type.isUnion()) return type.aliasSymbol === undefined ? union(type) : defined(type, union)
    // `string & {}` leaves an enum open.
    if (type.isIntersection() && type.types.some((each) => each.flags & ts.TypeFlags.StringLike))
      return { type: 'string' }
    if (type.isIntersection() && type.types.some((each) => each.flags & ts.TypeFlags.NumberLike))
      return { type: 'number' }
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection | ts.TypeFlags.NonPrimitive)) return named(type)
    throw new Error(`No schema for ${checker.typeToString(type)} (${flags})`)
  }

  /**
   * @param {ts.UnionType} type
   * @returns {Schema}
   */
  function union(type) {
    const given = type.types.filter((each) => !(each.flags & ts.TypeFlags.Undefined))
    const literals = given.flatMap((each) => (each.isStringLiteral() || each.isNumberLiteral() ? [each.value] : []))
    const others = given.filter((each) => !(each.isStringLiteral() || each.isNumberLiteral()) && !isUnknownMember(each))
    const all = others.map(write)
    if (literals.length > 0) all.push({ enum: literals })
    const unique = [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
    const isBoolean = unique.filter(({ const: value }) => typeof value === 'boolean').length === 2
    const rest = isBoolean ? unique.filter(({ const: value }) => typeof value !== 'boolean') : unique
    if (isBoolean) rest.push({ type: 'boolean' })
    const [only, ...more] = rest
    return only === undefined ? { not: {} } : more.length === 0 ? only : { anyOf: rest }
  }

  /**
   * @param {ts.Type} type
   * @returns {Schema}
   */
  function named(type) {
    const symbol = type.aliasSymbol?.name ?? type.symbol?.name ?? ''
    if (symbol === 'Uint8Array') return { bytes: true }
    if (['Blob', 'Date', 'URL', 'ReadableStream'].includes(symbol)) return { not: {} }
    const items = argumentsOf(type).map(write)
    if (checker.isArrayType(type)) return { type: 'array', items: items[0] ?? {} }
    if (checker.isTupleType(type)) return { type: 'array', items: { anyOf: items } }
    return defined(type, object)
  }

  /**
   * @param {ts.Type} type
   * @returns {readonly ts.Type[]}
   */
  function argumentsOf(type) {
    const isList = checker.isArrayType(type) || checker.isTupleType(type)
    return isList ? checker.getTypeArguments(/** @type {ts.TypeReference} */ (type)) : []
  }

  /**
   * @template {ts.Type} Type
   * @param {Type} type
   * @param {(type: Type) => Schema} make
   * @returns {Schema}
   */
  function defined(type, make) {
    let name = names.get(type)
    if (name === undefined) {
      const symbol = type.aliasSymbol?.name ?? type.symbol?.name ?? ''
      const base = /^\w+$/.test(symbol) && !symbol.startsWith('__') ? symbol : 'Part'
      name = base
      for (let n = 2; name in $defs; n++) name = `${base}${n}`
      names.set(type, name)
      $defs[name] = {}
      $defs[name] = make(type)
    }
    return { $ref: `#/$defs/${name}` }
  }

  /**
   * @param {ts.Type} type
   * @returns {Schema}
   */
  function object(type) {
    /** @type {Record<string, Schema>} */
    const properties = {}
    /** @type {string[]} */
    const required = []
    for (const property of checker.getPropertiesOfType(type)) {
      const is = checker.getTypeOfSymbol(property)
      if (checker.getNonNullableType(is).getCallSignatures().length > 0) continue
      if (property.name.startsWith('__@')) continue
      properties[property.name] = write(is)
      if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name)
    }
    const index = checker.getIndexInfoOfType(type, ts.IndexKind.String)
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
      // `object` and `{}` say nothing about their keys.
      additionalProperties: index === undefined ? Object.keys(properties).length === 0 : write(index.type),
    }
  }
}

/**
 * The members that clients have for kinds that they do not know: they would take anything.
 *
 * @param {ts.Type} type
 */
function isUnknownMember(type) {
  const symbol = (type.symbol?.name ?? '') + (type.aliasSymbol?.name ?? '')
  return /Unknown(?:Member)?$/.test(symbol)
}
