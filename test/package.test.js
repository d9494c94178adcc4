// What a user gets from npm: the names of each entry, the files in the package, the packages it brings along. Reads dist/,
// so `npm run build` comes first.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageOf, parseSource, readImports, resolveRelative } from './support/source.js';
/** The public names by subpath. A name that leaves this list, or changes, asks for a major version. */
const PUBLIC_NAMES = {
    '.': {
        values: ['PactError', 'canonicalJson', 'compareSiblings', 'contentHash', 'createContext', 'importSnapshot'],
        types: [],
    },
};
/** Entries that must load where there is no Node. */
const BROWSER_ENTRIES = ['.'];
/** What installing the package brings along. Each is a decision. */
const DEPENDENCIES = {
    '@noble/hashes': 'SHA-256 where there is no node:crypto, in a browser',
};
/** Drivers, provider SDKs and telemetry are optional peers; whoever needs one installs it. */
const NEVER_DEPENDENCIES = /^(pg|pg-.*|postgres|mysql2?|redis|ioredis|.*sqlite.*|openai|ai|@ai-sdk\/.*|@anthropic-ai\/.*|@google\/.*|@google-cloud\/.*|@langchain\/.*|langchain|@opentelemetry\/.*|@sentry\/.*|posthog.*|@segment\/.*|dd-trace|newrelic|applicationinsights)$/;
const ROOT = path.resolve(import.meta.dirname, '..');
const MANIFEST = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const ENTRIES = Object.entries(MANIFEST.exports).flatMap(([subpath, target]) => typeof target === 'string' ? [] : [{ subpath, js: target.default, types: target.types }]);
describe('the public names', () => {
    beforeAll(needDist);
    test('every subpath of package.json has its list', () => {
        expect(ENTRIES.map((entry) => entry.subpath).sort()).toEqual(Object.keys(PUBLIC_NAMES).sort());
    });
    test.each(ENTRIES)('$subpath exports exactly the values of its list, and loads in plain Node', async ({ subpath, js }) => {
        const url = pathToFileURL(path.join(ROOT, js)).href;
        const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(url)}))))`;
        const output = await run(process.execPath, ['--input-type=module', '--eval', script]);
        expect(JSON.parse(output).sort()).toEqual([...(PUBLIC_NAMES[subpath]?.values ?? [])].sort());
    });
    test.each(ENTRIES)('$subpath declares exactly the values and types of its list', ({ subpath, types }) => {
        const { values = [], types: typeNames = [] } = PUBLIC_NAMES[subpath] ?? {};
        expect(declaredNames(types)).toEqual([...values, ...typeNames].sort());
    });
});
describe('the packed package', () => {
    let files = [];
    beforeAll(async () => {
        needDist();
        const output = await runNpm(['pack', '--dry-run', '--json', '--ignore-scripts']);
        const [packed] = JSON.parse(output);
        files = packed?.files.map((file) => file.path.replaceAll('\\', '/')) ?? [];
    });
    test('holds the code with its types, the read-me and the licence', () => {
        const wanted = ['package.json', 'README.md', 'LICENSE', ...ENTRIES.flatMap((entry) => [entry.js, entry.types])];
        expect(wanted.map((file) => path.posix.normalize(file)).filter((file) => !files.includes(file))).toEqual([]);
    });
    test('holds nothing else than the build and the documents: no sources, no tests, nothing from outside', () => {
        const known = /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|docs\/[\w./-]+\.(md|svg|png)|dist\/[\w./-]+\.(js|d\.ts))$/;
        const unwanted = /(^|\/)(test|tests|src|shared|bench|demo|node_modules|\.\.)\/|\.test\.|\.cases\./;
        expect(files.filter((file) => !known.test(file) || unwanted.test(file))).toEqual([]);
    });
    test.each(BROWSER_ENTRIES)('%s reaches no node: module, so that it also runs in a browser', (subpath) => {
        const entry = ENTRIES.find((each) => each.subpath === subpath);
        expect(entry).toBeDefined();
        const reached = reachedFrom(path.posix.normalize(entry.js));
        expect(reached.outside.filter(({ specifier }) => !(packageOf(specifier) in DEPENDENCIES))).toEqual([]);
        expect(reached.files.length).toBeGreaterThan(1);
    });
});
describe('what package.json asks for', () => {
    test('dependencies are those of the list', () => {
        expect(Object.keys(MANIFEST.dependencies ?? {})).toEqual(Object.keys(DEPENDENCIES));
    });
    test('dependencies hold no driver, provider SDK or telemetry', () => {
        expect(Object.keys(MANIFEST.dependencies ?? {}).filter((name) => NEVER_DEPENDENCIES.test(name))).toEqual([]);
    });
    test('peers are optional', () => {
        const needed = Object.keys(MANIFEST.peerDependencies ?? {});
        expect(needed.filter((name) => MANIFEST.peerDependenciesMeta?.[name]?.optional !== true)).toEqual([]);
    });
    test('versions are exact', () => {
        const { dependencies, devDependencies, optionalDependencies } = MANIFEST;
        const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
        expect(all.filter(([, version]) => !/^(npm:[^@]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
    });
    test('no script runs while the package is installed or packed', () => {
        const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'prepack', 'postpack', 'pretest', 'prestart'];
        expect(hooks.filter((name) => name in MANIFEST.scripts)).toEqual([]);
    });
});
test('the scan for node: modules sees through files and re-exports', () => {
    const files = {
        'dist/index.js': `export { a } from './a/index.js'`,
        'dist/a/index.js': `import { hash } from 'node:crypto'\nimport { b } from './b.js'\nexport const a = () => import('pg')`,
        'dist/a/b.js': `// import 'node:fs'\nimport '../index.js'\nexport const b = "import 'node:os'"`,
    };
    expect(reachedFrom('dist/index.js', (file) => files[file])).toEqual({
        files: ['dist/index.js', 'dist/a/index.js', 'dist/a/b.js'],
        outside: [
            { file: 'dist/a/index.js', specifier: 'node:crypto' },
            { file: 'dist/a/index.js', specifier: 'pg' },
        ],
    });
});
/** Follows the relative imports from a built file; lists the files, and every import that leaves them. */
function reachedFrom(entry, read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8')) {
    const files = [entry];
    const outside = [];
    for (const file of files) {
        for (const { specifier } of readImports(parseSource(file, read(file)))) {
            const target = resolveRelative(file, specifier);
            if (!specifier.startsWith('.'))
                outside.push({ file, specifier });
            else if (!files.includes(target))
                files.push(target);
        }
    }
    return { files, outside };
}
/** Lists what a declaration file exports by name, sorted. */
function declaredNames(file) {
    const source = parseSource(file, fs.readFileSync(path.join(ROOT, file), 'utf8'));
    const names = source.statements.flatMap((statement) => {
        if (ts.isExportDeclaration(statement)) {
            const { exportClause } = statement;
            if (exportClause === undefined)
                return [`* from ${statement.moduleSpecifier?.getText(source)}`];
            return ts.isNamedExports(exportClause)
                ? exportClause.elements.map((each) => each.name.text)
                : [exportClause.name.text];
        }
        const isExported = ts.canHaveModifiers(statement) &&
            ts.getModifiers(statement)?.some((each) => each.kind === ts.SyntaxKind.ExportKeyword);
        if (isExported !== true)
            return [];
        if (ts.isVariableStatement(statement))
            return statement.declarationList.declarations.map((each) => each.name.getText(source));
        return [statement.name?.getText(source) ?? 'default'];
    });
    return [...new Set(names)].sort();
}
function needDist() {
    if (!fs.existsSync(path.join(ROOT, 'dist/index.js')))
        throw new Error('dist/ is missing: run `npm run build` first.');
}
/** Runs the npm that runs the tests, or the one on the path. */
function runNpm(args) {
    const own = process.env['npm_execpath'];
    if (own !== undefined && /\.[cm]?js$/.test(own))
        return run(process.execPath, [own, ...args]);
    return process.platform === 'win32' ? run('npm.cmd', args, true) : run('npm', args);
}
function run(command, args, shell = false) {
    return new Promise((resolve, reject) => {
        const options = { cwd: ROOT, shell, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, NODE_OPTIONS: '' } };
        execFile(command, args, options, (error, stdout, stderr) => {
            if (error === null)
                resolve(stdout);
            else
                reject(new Error(`${command} ${args[0]} failed:\n${stderr}`, { cause: error }));
        });
    });
}
