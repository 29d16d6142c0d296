import { isDeepStrictEqual } from 'node:util';
import type { DocumentKind } from './kinds/kind.ts';
import type { PlanNode, ResourceWriter } from './writer.ts';

export interface WrittenNode {
  kind: DocumentKind;
  writer: ResourceWriter;
  node: PlanNode;
}

/** Whether its own content is created or changed. */
export const isWritten = ({ before, after }: PlanNode) =>
  after !== undefined && !isDeepStrictEqual(before?.content, after.content);

/** A resource and its parts, of those that are created or changed. */
export function listWrittenNodes(kind: DocumentKind, writer: ResourceWriter, node: PlanNode): WrittenNode[] {
  const inside = Object.entries(kind.parts ?? {}).flatMap(([name, part]) =>
    (node.parts[name] ?? []).flatMap((each) =>
      listWrittenNodes(part, writer.parts?.[name] as ResourceWriter, each),
    ),
  );
  return [...(isWritten(node) ? [{ kind, writer, node }] : []), ...inside];
}
