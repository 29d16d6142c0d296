import { isDeepStrictEqual } from 'node:util';
import type { Kind } from './kinds/kind.ts';
import type { Node, Writer } from './writer.ts';

export interface WrittenNode {
  kind: Kind;
  writer: Writer;
  node: Node;
}

/** Whether its own content is created or changed. */
export const isWritten = ({ before, after }: Node) =>
  after !== undefined && !isDeepStrictEqual(before?.content, after.content);

/** A resource and its parts, of those that are created or changed. */
export function writtenNodes(kind: Kind, writer: Writer, node: Node): WrittenNode[] {
  const inside = Object.entries(kind.parts ?? {}).flatMap(([name, part]) =>
    (node.parts[name] ?? []).flatMap((each) => writtenNodes(part, writer.parts?.[name] as Writer, each)),
  );
  return [...(isWritten(node) ? [{ kind, writer, node }] : []), ...inside];
}
