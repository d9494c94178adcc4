"""Content hash, sibling order and snapshot bytes of chapter 08, written a second time in Python.

Random tests ask this script; it needs no document. scripts/make-vectors.py compares it with the document's own code on every vector that it
records.

  python3 scripts/reference_rules.py

Each line on stdin is `["value", value]`, `["block", block]` or `["export", snapshot]`. The answer is one line: the canonical JSON of the value, the hash
of the block, or JSON with the bytes of the snapshot's tree and its nodes in order, each as id and hash.
"""

import hashlib
import json
import sys

HASHED = ('content', 'kind', 'role')
WRITTEN = {'id', 'nodeType', 'offset', 'ttl', 'priority', 'cycle', 'created_at_ns', 'created_at_iso', 'children', *HASHED}


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=True)


def takes_part(name):
    # D34: content_hash has the prefix, but it is reserved.
    return name in HASHED or (name.startswith(('content_', 'data_')) and name != 'content_hash')


def content_hash(block):
    parts = dict.fromkeys(HASHED, '') | {name: value for name, value in block.items() if takes_part(name)}
    return hashlib.sha256(canonical(parts).encode()).hexdigest()


def order_key(node):
    return (*(node.get(name, 0) for name in ('offset', 'created_at_ns', 'creation_index')), node.get('id', ''))


def in_order(node):
    yield node
    for child in sorted(node.get('children', ()), key=order_key):
        yield from in_order(child)


def snapshot_text(root):
    def written(node):
        form = {name: value for name, value in node.items() if name in WRITTEN}
        if 'children' in form:
            form['children'] = [written(child) for child in sorted(form['children'], key=order_key)]
        return form

    return canonical(written(root))


def visited(root):
    return [[node['id'], content_hash(node)] for node in in_order(root)]


ANSWERS = {
    'value': canonical,
    'block': content_hash,
    'export': lambda snapshot: json.dumps([snapshot_text(snapshot['root']), visited(snapshot['root'])]),
}

if __name__ == '__main__':
    for line in sys.stdin.buffer:
        kind, asked = json.loads(line)
        print(ANSWERS[kind](asked))
