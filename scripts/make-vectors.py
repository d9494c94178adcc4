"""Vectors from the documents' own Python (D33, D34, D35).

The code fences of chapter 08 (content hash, sibling order, traversal, snapshot bytes) are read out of the document when this runs and executed as they
are. Nothing of them is kept here. Every vector is also compared with scripts/reference_rules.py, which the random tests use.

  python3 scripts/make-vectors.py <document> test/golden/python-vectors.json
"""

import datetime
import hashlib
import json
import os
import platform
import random
import re
import struct
import sys

import reference_rules
from reference_rules import canonical

SECTIONS = ['2.1', '5.1', '5.2', '6.1']  # content hash, compare_siblings, traverse_canonical, serialize_snapshot


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    write(*arguments)


def load_reference(document):
    """Runs the Python fences of chapter 08 and gives the names they define."""
    with open(document, encoding='utf-8') as file:
        text = file.read()
    chapter = re.search(r'^# 08 .*?(?=^# \d\d )', text, re.M | re.S).group()
    names = {}
    for section in SECTIONS:
        fence = re.search(rf'^### {re.escape(section)} .*?^```python\n(.*?)^```', chapter, re.M | re.S)
        exec(compile(fence.group(1), f'08 §{section}', 'exec'), names)
    return names


def hash_block(reference, block):
    # D34: content_hash bears the prefix but is reserved; the document's function would let it in.
    return same(
        reference['calculate_content_hash']({k: v for k, v in block.items() if k != 'content_hash'}),
        reference_rules.content_hash(block),
    )


def same(document, rules):
    if document != rules:
        sys.exit(f'The document and reference_rules.py differ:\n{document}\n{rules}')
    return document


def write(document, output):
    reference = load_reference(document)
    with open(document, 'rb') as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    source = {
        'document': os.path.basename(document),
        'sha256': digest,
        'chapter': '08 §' + ', §'.join(SECTIONS),
        'python': platform.python_version(),
        'script': 'scripts/make-vectors.py',
    }
    lists = {
        'canonical': [
            {'name': name, 'input': text, 'canonical': canonical(json.loads(text))} for name, text in values()
        ],
        'knownLoss': [
            {'name': name, 'input': text, 'python': canonical(json.loads(text)), 'ours': ours}
            for name, text, ours in known_losses()
        ],
        'contentHashes': [hash_vector(reference, *block) for block in blocks()],
        'snapshots': [snapshot_vector(reference, *tree) for tree in trees()],
        'isoTimes': [{'ns': str(ns), 'iso': iso_time(ns)} for ns in times()],
    }
    parts = [f'"source": {json.dumps(source, ensure_ascii=False)}']
    for name, rows in lists.items():
        parts.append(f'"{name}": [\n' + ',\n'.join(json.dumps(row) for row in rows) + '\n]')
    with open(output, 'w', encoding='utf-8') as file:
        file.write('{\n' + ',\n'.join(parts) + '\n}\n')


# ---- JSON values, as texts: a Python value would not tell 1.0 from 1 on the other side


def values():
    yield from scalars()
    yield from texts()
    yield from structures()


def scalars():
    for word in ['null', 'true', 'false']:
        yield word, word
    integers = [0, 1, -1, 2**31, 2**53 - 1, -(2**53) + 1, 2**53, -(2**53), 2**53 + 1, 2**63 - 1, -(2**63), 2**64]
    integers += [2**64 + 1, -(2**64) - 1, 1700000000123456789, 10**100, -(10**100), int('9' * 4300), -int('9' * 4300)]
    for value in integers:
        text = str(value)
        yield (f'integer {text}' if len(text) < 40 else f'integer of {len(text.lstrip("-"))} digits'), text
    yield 'minus zero is an integer in a text', '-0'
    floats = ['5e-324', '-5e-324', '1.7976931348623157e308', '2.2250738585072014e-308', '2.225073858507201e-308']
    floats += ['1e16', '-1e16', '1.0e+16', '1E16', '123456789012345680.0', '9007199254740992.0', '9007199254740993.0']
    floats += ['1e21', '9999999999999998.0', '1e22', '1e23', '1e100', '-1.5e300', '1.5e300', '1e-5', '1e-4', '0.0001']
    floats += ['0.00012', '0.00009999999999999999', '1e-7', '1.5e-7', '1e-10', '1e-100', '0.1', '0.5', '-0.5', '1.5']
    floats += ['3.141592653589793', '0.30000000000000004', '100.125', '2251799813685249.5', '4503599627370495.5']
    floats += ['1.7976931348623158e308', '0.1000000000000000055511151231257827', '2.5e-1', '12345.678e-2', '1e-323']
    for text in floats:
        yield f'float {text}', text
    numbers = random.Random(33)
    count = 0
    while count < 300:
        value = struct.unpack('<d', numbers.randbytes(8))[0]
        if value - value == 0 and not is_safe_integer(value):  # finite
            yield f'random bits {count}', repr(value)
            count += 1
    for exponent in range(-12, 26):
        value = numbers.uniform(1, 10) * 10.0**exponent
        if not is_safe_integer(value):
            yield f'random near 1e{exponent}', repr(value)


def is_safe_integer(value):
    return value == int(value) and abs(value) < 2**53


def texts():
    yield 'empty text', '""'
    yield 'all of ASCII', json.dumps(''.join(map(chr, range(128))))
    yield 'C0 controls', json.dumps(''.join(map(chr, range(32))))
    yield 'DEL, written as itself', '"a\x7fb"'
    yield 'C1 controls, written as themselves', '"' + ''.join(map(chr, range(0x80, 0xA0))) + '"'
    yield 'Latin-1', '"' + ''.join(map(chr, range(0xA0, 0x100))) + '"'
    yield 'line and paragraph separator', '"\u2028\u2029"'
    yield 'byte order mark inside a text', '"a\ufeffb"'
    yield 'no characters and private use', '"\ufffe\uffff\ufdd0\ue000\uf8ff"'
    yield 'beyond the BMP', '"\U00010000\U0001f600\U0010ffff"'
    yield 'beyond the BMP, escaped in upper case', '"\\uD83D\\uDE00"'
    yield 'a lead surrogate alone', '"\\ud800"'
    yield 'a trail surrogate alone', '"\\udfff"'
    yield 'surrogates in the wrong order', '"\\udc00\\ud800"'
    yield 'a lead, a pair, a trail', '"\\ud800\\ud83d\\ude00\\udc00"'
    yield 'a lead at the end', '"abc\\udbff"'
    yield 'every escape', '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\\u0020\\u007F\\u00e9"'
    yield 'not normalized', '"e\u0301 \u00e9 \u212b \u00c5"'
    yield 'combined emoji', '"\U0001f469\u200d\U0001f4bb \U0001f1e9\U0001f1ea"'
    yield 'ASCII, then one other', '"' + 'plain ' * 50 + '\u2019"'
    yield 'across a chunk of the writer', '"' + '\u4e16\u754c \U0001f600' * 300 + '"'
    yield 'long and plain', '"' + 'The quick brown fox. ' * 60 + '"'
    yield 'long with quotes and lines', '"' + 'He said \\"no\\".\\n\\tC:\\\\x ' * 40 + '"'


def structures():
    yield 'empty array', '[]'
    yield 'empty object', '{}'
    yield 'nested empties', '[[],{},[[]],{"a":{}},[{}],""]'
    yield 'white space', ' \t\r\n{ "a" :\n[ 1 , 2 ] , "b" : null }\n'
    yield 'nested exactly 128 arrays', '[' * 128 + ']' * 128
    yield 'nested exactly 128 objects', '{"a":' * 127 + '{}' + '}' * 127
    yield 'nested exactly 128, mixed', '[{"k":' * 64 + '1' + '}]' * 64
    yield 'keys out of order', '{"b":1,"a":2,"B":3,"A":4,"aa":5,"":6,"a ":7}'
    yield 'numbers as keys', '{"10":1,"9":2,"1":3,"01":4,"-1":5,"1.5":6,"4294967295":7,"4294967294":8}'
    yield 'the last of equal keys', '{"a":1,"b":2,"a":3}'
    yield 'keys beyond the BMP after U+E000 to U+FFFF', '{"\U00010000":1,"\uffff":2,"\ue000":3,"\ud7ff":4,"z":5}'
    yield 'the same with a common start', '{"x\U0001f600":1,"x\uffee":2,"x":3,"x\U0001f601":4,"x\ue000\U0001f600":5}'
    yield 'surrogate keys', (
        '{"\\ud800":1,"\\udfff":2,"\\ue000":3,"\\ud83d\\ude00":4,"\\ud83d":5,"\\ude00":6,"\\ud83dz":7}'
    )
    yield 'control keys', '{"\\u0000":1,"\\n":2,"\\u007f":3,"~":4,"\\u0080":5," ":6,"\\"":7,"\\\\":8}'
    yield 'an empty key', '{"":{"":{"":""}}}'
    yield 'names that JavaScript owns', (
        '{"toString":1,"__proto__":{"__proto__":null},"constructor":{"prototype":[]},"hasOwnProperty":2,"valueOf":3}'
    )
    yield 'integers of every size in a list', '[1,9007199254740991,9007199254740992,18446744073709551616,-5]'
    yield 'a tool call', (
        '{"name":"search","arguments":{"query":"caf\u00e9 \u4e16","limit":10,"filters":[{"k":"a","v":0.25}]}}'
    )
    numbers = random.Random(3301)
    for count in range(60):
        yield f'random value {count}', random_text(numbers, 4)


def random_text(numbers, depth):
    """A random value as a JSON text, with its keys in any order and its characters in either spelling."""
    value = random_value(numbers, depth)
    return json.dumps(value, ensure_ascii=numbers.random() < 0.7)


ALPHABET = 'aAbz_09 -~"\\/\n\t\x00\x1f\x7f\x80\x9f\xe9\u0301\u2028\u4e16\ud7ff\ue000\ufeff\uffff\U00010000\U0001f600'


def random_value(numbers, depth):
    kind = numbers.randrange(9 if depth > 0 else 6)
    if kind == 0:
        return numbers.choice([None, True, False])
    if kind == 1:
        return numbers.randrange(-(2 ** numbers.randrange(1, 90)), 2 ** numbers.randrange(1, 90))
    if kind == 2:
        value = numbers.uniform(-1, 1) * 10.0 ** numbers.randrange(-30, 30)
        return value if not is_safe_integer(value) else 0.5
    if kind < 6:
        return random_name(numbers)
    if kind == 6:
        return [random_value(numbers, depth - 1) for _ in range(numbers.randrange(5))]
    return {random_name(numbers): random_value(numbers, depth - 1) for _ in range(numbers.randrange(7))}


def random_name(numbers):
    return ''.join(numbers.choice(ALPHABET) for _ in range(numbers.randrange(7)))


def known_losses():
    """D33: a float that is a safe integer comes back as that integer; (name, input, what we write instead)."""
    yield 'a whole float', '1.0', '1'
    yield 'a whole float with an exponent', '1e3', '1000'
    yield 'the largest whole float below 1e16 that is safe', '9007199254740991.0', '9007199254740991'
    yield 'minus zero as a float', '-0.0', '0'
    yield 'zero as a float', '0.0', '0'
    yield 'a float too small for any digit', '1e-400', '0'
    yield '1e15', '1e15', '1000000000000000'
    yield 'a fraction that a double cannot hold', '4503599627370497.5', '4503599627370498'
    yield 'inside a value', '{"b":[1.0,1.5],"a":-0.0}', '{"a":0,"b":[1,1.5]}'


# ---- Blocks


def blocks():
    """(name, node as a text, note)"""
    yield 'nothing at all', '{}', None
    yield 'the 08 §7.1 block', (
        '{"id":"test1","content":"Hello world","role":"user","ttl":5,"created_at_ns":1000000}'
    ), None
    yield 'the same with other metadata', (
        '{"id":"test2","content":"Hello world","role":"user","ttl":10,"created_at_ns":2000000,"children":[]}'
    ), None
    yield 'content, kind and role', '{"content":"Hi","kind":"text","role":"user"}', None
    for name in ['content', 'kind', 'role']:
        yield f'{name} missing', json.dumps({k: 'x' for k in ['content', 'kind', 'role'] if k != name}), None
        yield f'{name} null', json.dumps({k: None if k == name else 'x' for k in ['content', 'kind', 'role']}), None
        yield f'{name} empty', json.dumps({k: '' if k == name else 'x' for k in ['content', 'kind', 'role']}), None
    yield 'content_hash is left out', (
        '{"content":"Hi","content_hash":"00ff","content_hashed":1,"data_content_hash":2}'
    ), 'D34: content_hash was dropped before the Python was called'
    yield 'a key that is only the prefix', '{"content":"Hi","data_":1,"content_":2}', None
    yield 'near prefixes do not count', '{"content":"Hi","data":1,"contents":2,"Data_a":3,"xdata_a":4,"meta_a":5}', None
    yield 'null attributes count', '{"content":"Hi","data_a":null,"content_b":null}', None
    yield 'attributes sort by code point', (
        '{"data_\U0001f600":1,"data_\uffff":2,"data_b":3,"data_B":4,"content_z":5,"content_\ue000":6,"content":""}'
    ), None
    yield 'names beside the fields', '{"content_":1,"content":2,"data_x":3,"kind":4,"role":5,"content_hash_":6}', None
    yield 'content that is a structure', (
        '{"content":{"b":[1,2.5,null],"a":{"z":"\u00e9","y":18446744073709551616}}}'
    ), None
    yield 'content that is a number', '{"content":1e-5,"kind":1,"role":false}', None
    yield 'content that is a list', (
        '{"content":[{"type":"text","text":"a"},{"type":"image","bytes":12345678901234567890}]}'
    ), None
    yield 'lone surrogates', '{"content":"\\ud800","data_\\udfff":"\\udc00\\ud800"}', None
    yield 'names that JavaScript owns', (
        '{"__proto__":{"content":"no"},"content":"yes","data___proto__":{"__proto__":1}}'
    ), None
    for name, text in values():
        if not name.startswith(('random bits', 'random near')):
            # content takes part at one level below the block, so 128 levels inside are still 128 for the value itself
            yield f'content: {name}', f'{{"role":"user","content":{text}}}', None
    numbers = random.Random(34)
    for count in range(60):
        block = {name: random_value(numbers, 3) for name in ['content', 'kind', 'role'] if numbers.random() < 0.8}
        for _ in range(numbers.randrange(4)):
            block[numbers.choice(['data_', 'content_', 'other_']) + random_name(numbers)] = random_value(numbers, 3)
        names = list(block)
        numbers.shuffle(names)
        yield f'random block {count}', json.dumps({name: block[name] for name in names}), None


def hash_vector(reference, name, text, note):
    vector = {'name': name, 'input': text, 'contentHash': hash_block(reference, json.loads(text))}
    return {**vector, 'note': note} if note else vector


# ---- Trees


def trees():
    """(name, tree, note)"""
    yield 'an empty context', root(region('^sys', 0), region('^seq', 1), region('^ah', 2)), None
    yield 'regions out of order', root(region('^ah', 2), region('^sys', 0), region('^seq', 1)), None
    yield 'regions ordered by their headers, not by rank', root(
        region('^sys', 2, offset=5), region('^seq', 1, offset=-3), region('^ah', 0, created_at_ns=7)
    ), 'D35: only these bytes sort the regions by their headers'
    yield 'children out of order', context(
        [block(f'cb:{i}', offset, f'text {i}', created_at_ns=1000 + i, creation_index=i)
         for i, offset in enumerate([3, -1, 0, 2, -2, 1])]
    ), None
    yield 'shared offsets, ordered by time', context(
        [block(f'cb:{i}', -1, f'text {i}', created_at_ns=ns) for i, ns in enumerate([5, 3, 4, 1, 2])]
    ), None
    yield 'shared offsets and times, ordered by creation_index', context(
        [block(f'cb:{i}', -1, f'text {i}', created_at_ns=9, creation_index=n) for i, n in enumerate([4, 2, 10, 1, 3])]
    ), None
    yield 'shared everything, ordered by id, by code point', context(
        [block(f'cb:{name}', 1, name, created_at_ns=9, creation_index=0)
         for name in ['b', '\U0001f600', 'a', '\uffff', '', '\ue000', 'B', '\u00e9', '10', '9']]
    ), None
    big = [2**63 - 1, 2**53 + 1, 2**53, 2**64 + 1, 2**64, 1700000000123456789, 1700000000123456788, 10**30, 0]
    yield 'times beyond 2^53 keep their digits and their order', context(
        [block(f'cb:{i}', -1, str(ns), created_at_ns=ns) for i, ns in enumerate(big)]
    ), None
    yield 'hostile content', context(
        [block(f'cb:{i}', i + 1, json.loads(text), created_at_ns=i)
         for i, (_, text) in enumerate([*texts(), *structures()]) if len(text) < 150]
    ), None
    yield 'what is not serialized', context(
        [block('cb:1', 1, 'Hi', key='k', tags=['a'], data_x=1, content_y=2, refs=[], creation_index=4)]
    ), 'D35: creation_index, keys, tags and custom attributes are dropped'
    yield 'content, role and kind only where they are', context(
        [block('cb:1', 1, 'Hi', role='user'), block('cb:2', 2, '', kind='text'), headers('cb:3', 'cb', 3),
         block('cb:4', 4, None), headers('mc:5', 'mc', 5, children=[])]
    ), None
    yield 'ttl and priority', context(
        [block('cb:1', 1, 'a', ttl=3, priority=-5), block('cb:2', 2, 'b', ttl=1, priority=100)]
    ), None
    yield 'missing headers', {
        'id': 'root', 'nodeType': '^root', 'children': [
            {'id': 'ah', 'nodeType': '^ah', 'children': [
                {'id': 'cb:2', 'content': 'two'}, {'id': 'cb:1', 'content': 'one'}, {'id': 'cb:0', 'offset': -1}]},
            {'id': 'sys', 'nodeType': '^sys'}, {'id': 'seq', 'nodeType': '^seq', 'children': []}],
    }, 'not filled in: an import fills the headers first (D4), so its bytes differ'
    numbers = random.Random(35)
    for count in range(4):
        yield f'random tree {count}', random_tree(numbers), None
    numbers = random.Random(52)
    for count in range(12):
        tree = with_attributes(numbers, random_tree(numbers))
        yield f'random tree with attributes {count}', renamed(tree) if count % 2 else tree, None


def with_attributes(numbers, node):
    """Attributes that take part in the hash, and some that do not."""
    prefix = numbers.choice(['data_', 'content_', 'other_', 'acme:'])
    if node['nodeType'] == 'cb' and numbers.random() < 0.5:
        node[f'{prefix}x'] = random_value(numbers, 2)
    for child in node.get('children', []):
        with_attributes(numbers, child)
    return node


def renamed(node):
    """The same tree with the node types of PACT/1.0."""
    names = {'cb': 'block', 'mc': 'cont', 'mt': 'seg'}
    children = {'children': [renamed(child) for child in node['children']]} if 'children' in node else {}
    return {**node, 'nodeType': names.get(node['nodeType'], node['nodeType']), **children}


def headers(id, node_type, offset=0, **more):
    created = more.pop('created_at_ns', 0)
    node = {'id': id, 'nodeType': node_type, 'offset': offset, 'ttl': None, 'priority': 0, 'cycle': 1,
            'created_at_ns': created, 'created_at_iso': iso_time(created), 'creation_index': 0}
    return {**node, **more}


def block(id, offset, content, **more):
    return headers(id, 'cb', offset, content=content, **more)


def region(node_type, creation_index, offset=0, children=(), **more):
    return headers(node_type[1:], node_type, offset, creation_index=creation_index, children=list(children), **more)


def root(*regions):
    return headers('root', '^root', children=list(regions))


def context(head):
    """A context whose active head holds these nodes beside its core, after one sealed turn."""
    turn = headers('mt:1', 'mt', children=[
        block('cb:t2', 1, 'post', created_at_ns=4),
        headers('mc:t', 'mc', created_at_ns=3, children=[block('cb:t1', 0, 'Hello', role='user', kind='text')]),
    ])
    core = headers('mc:core', 'mc', children=[block('cb:core', 0, 'core', role='user', kind='text')])
    others = [node for node in head if node['offset'] != 0]
    inside = [node for node in head if node['offset'] == 0]
    core['children'] = inside + core['children']
    return root(region('^ah', 3, children=[*others, core]), region('^seq', 2, children=[turn]), region('^sys', 1))


def random_tree(numbers):
    ids = iter(numbers.sample(range(100, 1000), 200))

    def random_block(offset):
        more = {name: numbers.choice(['user', 'tool', 'text']) for name in ['role', 'kind'] if numbers.random() < 0.6}
        return block(f'cb:{next(ids)}', offset, random_value(numbers, 2), **times_of(), **more,
                     ttl=numbers.choice([None, 1, 7]), priority=numbers.randrange(-3, 4))

    def times_of():
        return {'created_at_ns': numbers.choice([0, 5, 5, 2**60, 2**60 + 1]), 'creation_index': numbers.randrange(3)}

    def turn():
        inside = [random_block(numbers.randrange(3)) for _ in range(3)]
        core = headers(f'mc:{next(ids)}', 'mc', **times_of(), children=inside)
        sides = [random_block(numbers.choice([-2, -1, 1, 1, 2])) for _ in range(numbers.randrange(5))]
        children = [core, *sides]
        numbers.shuffle(children)
        return children

    turns = [headers(f'mt:{next(ids)}', 'mt', 1048576 * n, **times_of(), children=turn()) for n in range(3)]
    numbers.shuffle(turns)
    regions = [region('^sys', 1, children=[random_block(numbers.randrange(4)) for _ in range(3)]),
               region('^seq', 2, children=turns), region('^ah', 3, children=turn())]
    numbers.shuffle(regions)
    return root(*regions)


def snapshot_vector(reference, name, tree, note):
    text = json.dumps(tree)
    tree = json.loads(text)
    serialized = same(reference['serialize_snapshot'](tree).decode('ascii'), reference_rules.snapshot_text(tree))
    visited = []
    reference['traverse_canonical'](tree, lambda node: visited.append([node['id'], hash_block(reference, node)]))
    same(visited, reference_rules.visited(tree))
    vector = {'name': name, 'input': text, 'serialized': serialized, 'visited': visited}
    return {**vector, 'note': note} if note else vector


# ---- Times


def times():
    second = 10**9
    yield from [0, 1, -1, 999_999_999, second, -second, 1700000000123456789, -1700000000123456789]
    yield from [second * seconds + rest for seconds in (
        253402300799, 253402300800, -62167219200, -62167219201, -62135596800, 951782400, 951868800, 4107542400
    ) for rest in (0, 123_456_789, -1)]
    yield from [2**53, 2**63 - 1, -(2**63), 2**64, 8_640_000_000_000_000 * 10**6, -8_640_000_000_000_000 * 10**6]
    yield from [10**30, -(10**30), 10**40 + 7]
    numbers = random.Random(37)
    for bits in range(40, 100):
        yield numbers.randrange(-(2**bits), 2**bits)


def iso_time(ns):
    """The calendar repeats every 400 years, so any time can be shown by a datetime a whole number of these away."""
    seconds, fraction = divmod(ns, 10**9)
    eras, rest = divmod(seconds, 146097 * 86400)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=rest)
    year = moment.year + 400 * eras
    shown = f'{year:04}' if 0 <= year <= 9999 else f'{"-" if year < 0 else "+"}{abs(year):06}'
    return f'{shown}-{moment:%m-%dT%H:%M:%S}.{fraction:09}Z'


main(sys.argv[1:])
