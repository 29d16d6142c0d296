import { isDeepStrictEqual } from 'node:util';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import type { AnyEndpoint } from '../../platform/http/endpoint.ts';
import type { Permission } from '../../platform/identity/permissions.ts';
import type { DocumentEntry, DocumentKind, ResourceMembers } from './kinds/kind.ts';

/** The operations that write the resources of a kind, which make all the checks that they make for other callers. */
export interface ResourceWriter {
  /** The id of a resource in the paths of its operations. */
  param: string;
  create: AnyEndpoint;
  /** Without it, a changed part is removed and added again. */
  update?: AnyEndpoint;
  remove: AnyEndpoint;
  publish?: AnyEndpoint;
  /** Members that only the creation takes, so that they cannot change. */
  createOnly?: readonly string[];
  /** Members that only a change takes. */
  updateOnly?: readonly string[];
  /** The smallest body of a creation, for a resource of a circle. The rest follows as a change. */
  skeleton?: (name: string) => ResourceMembers;
  /** The body of a change, with ids. Default: the changed members, and the default of those that are left out. */
  changes?: (change: { stored: ResourceMembers; after: ResourceMembers }) => ResourceMembers;
  /** Where its responses show a secret that the service made, as a dotted path. Only they show it. */
  madeSecret?: string;
  /** Permissions that its creation and change take besides their own. */
  alsoTakes?: readonly Permission[];
  /** What its operations check beside the schemas of their bodies, without the table. @throws 400 */
  check?: (content: ResourceMembers, sandbox: Sandbox) => Promise<void>;
  parts?: Readonly<Record<string, ResourceWriter>>;
}

/** What happens to a resource, or to a part of one. */
export interface PlanNode {
  key: string;
  before?: DocumentEntry;
  after?: DocumentEntry;
  parts: Readonly<Record<string, readonly PlanNode[]>>;
}

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
