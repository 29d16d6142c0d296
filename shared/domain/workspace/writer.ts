import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import type { AnyEndpoint } from '../../platform/http/endpoint.ts';
import type { Permission } from '../../platform/identity/permissions.ts';
import type { Entry, Members } from './kinds/kind.ts';

/** The operations that write the resources of a kind, which make all the checks that they make for other callers. */
export interface Writer {
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
  skeleton?: (name: string) => Members;
  /** The body of a change, with ids. Default: the changed members, and the default of those that are left out. */
  changes?: (change: { stored: Members; after: Members }) => Members;
  /** Where its responses show a secret that the service made, as a dotted path. Only they show it. */
  madeSecret?: string;
  /** Permissions that its creation and change take besides their own. */
  alsoTakes?: readonly Permission[];
  /** What its operations check beside the schemas of their bodies, without the table. @throws 400 */
  check?: (content: Members, sandbox: Sandbox) => Promise<void>;
  parts?: Readonly<Record<string, Writer>>;
}

/** What happens to a resource, or to a part of one. */
export interface Node {
  key: string;
  before?: Entry;
  after?: Entry;
  parts: Readonly<Record<string, readonly Node[]>>;
}
