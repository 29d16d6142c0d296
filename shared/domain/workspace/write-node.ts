/**
 * Writes one resource of a plan with its parts, by calling the operations of the API.
 *
 * A resource comes before its parts; of the parts, deletions first. A part that meets what another one still has, such as a
 * slug, is written again after the others. Members that only an update takes follow the creation. No call begins when little
 * time is left. Errors get the place of the resource in the document. `apply.ts` decides the order of resources.
 */

import { isDeepStrictEqual } from 'node:util';
import { ifCode, ifMissing, outOfTime, ServiceError } from '../../core/errors/errors.ts';
import type { AnyEndpoint } from '../../platform/http/endpoint.ts';
import type { DocumentKind, ResourceMembers } from './kinds/kind.ts';
import type { ReplaceReference } from './kinds/references.ts';
import { isWritten, type PlanNode, type ResourceWriter } from './writer.ts';

/** Calls an operation for the caller of the request. @returns its response */
export type CallEndpoint = (
  endpoint: AnyEndpoint,
  request: { params?: ResourceMembers; body?: ResourceMembers },
) => Promise<ResourceMembers | undefined>;

interface Place {
  /** The ids of what the resource is a part of, as in the paths of operations. */
  params: ResourceMembers;
  /** Replaces names by ids. */
  toId: ReplaceReference;
  /** Within the resource, as in the paths of differences. */
  at: readonly string[];
}

/** A secret that the service made for a resource. */
export interface MadeSecret {
  /** Within the resource, as in the paths of differences. */
  path: string;
  value: string;
}

/** Leaves time for the operation that runs. */
const reserveMs = 3_000;

interface Calling {
  call: CallEndpoint;
  timeLeftMs: () => number;
  /** Called with the id of each resource and part. */
  onWritten: (node: PlanNode, id: string) => void;
  onSecret: (secret: MadeSecret) => void;
}

export function createNodeWriter({ call, timeLeftMs, onWritten, onSecret }: Calling) {
  const run = async (endpoint: AnyEndpoint, request: Parameters<CallEndpoint>[1], node: PlanNode) => {
    if (timeLeftMs() < reserveMs) throw outOfTime({ code: 'OUT_OF_TIME', message: sendAgain });
    return call(endpoint, request).catch((error) => {
      throw placeError(error, node);
    });
  };

  /** Creates or changes a resource, or a part of one, and then its parts. @returns its id */
  async function write(
    kind: DocumentKind,
    writer: ResourceWriter,
    node: PlanNode,
    place: Place,
  ): Promise<string> {
    const { params, toId, at } = place;
    const id = await writeContent(kind, writer, node, place);
    onWritten(node, id);
    const capabilities = new Map<string, string>();
    for (const { key, resource } of node.before?.parts.capabilities ?? []) {
      if (resource) capabilities.set(key, resource.id);
    }
    const inside: Place = {
      at,
      params: { ...params, [writer.param]: id },
      toId: (target, value, ...where) =>
        (target === 'capabilities' ? capabilities.get(value) : undefined) ?? toId(target, value, ...where),
    };
    for (const [name, part] of Object.entries(kind.parts ?? {})) {
      const ids = await writeParts(part, writer.parts?.[name] as ResourceWriter, node.parts[name] ?? [], {
        ...inside,
        at: [...at, name],
      });
      if (name === 'capabilities') for (const [key, partId] of ids) capabilities.set(key, partId);
    }
    return id;
  }

  async function writeParts(
    kind: DocumentKind,
    writer: ResourceWriter,
    nodes: readonly PlanNode[],
    place: Place,
  ) {
    const ids = new Map<string, string>();
    for (const node of nodes) if (!node.after) await remove(writer, node, place.params);
    const changed = nodes.filter(({ before, after }) => after && before !== after);
    const inTheWay: PlanNode[] = [];
    for (const node of changed) {
      const itemPlace = { ...place, at: [...place.at, node.key] };
      const writing = write(kind, writer, node, itemPlace);
      // One with parts may be written in part.
      const id = await (kind.parts ? writing : writing.catch(ifCode('CONFLICT', undefined)));
      if (id === undefined) inTheWay.push(node);
      else ids.set(node.key, id);
    }
    // Of two parts, one may have to give up first what the other one takes, such as a slug.
    for (const node of inTheWay) {
      ids.set(node.key, await write(kind, writer, node, { ...place, at: [...place.at, node.key] }));
    }
    return ids;
  }

  async function writeContent(
    kind: DocumentKind,
    writer: ResourceWriter,
    node: PlanNode,
    place: Place,
  ): Promise<string> {
    const { before, after } = node;
    const content = kind.references(after?.content ?? {}, place.toId);
    const id = before?.resource?.id;
    if (id === undefined) return create(kind, writer, { node, content, place });
    if (isDeepStrictEqual(before?.content, after?.content)) return id;
    if (!writer.update) {
      await remove(writer, node, place.params);
      return create(kind, writer, { node, content, place });
    }
    const change = { stored: before?.resource?.content ?? {}, after: content };
    const body = writer.changes?.(change) ?? { ...kind.defaults, ...content };
    const changed = Object.entries(body).filter(([name]) => !writer.createOnly?.includes(name));
    const params = { ...place.params, [writer.param]: id };
    const written = await run(writer.update, { params, body: Object.fromEntries(changed) }, node);
    reportSecret(writer, written, { content, at: place.at });
    return id;
  }

  async function create(
    kind: DocumentKind,
    writer: ResourceWriter,
    { node, content, place: { params, at } }: { node: PlanNode; content: ResourceMembers; place: Place },
  ): Promise<string> {
    const isLater = ([name]: [string, unknown]) => writer.updateOnly?.includes(name) ?? false;
    const members = Object.entries(content);
    const name = kind.nameMember !== null && !kind.isNameDerived && { [kind.nameMember]: node.key };
    const body = { ...name, ...Object.fromEntries(members.filter((each) => !isLater(each))) };
    const made = await run(writer.create, { params, body }, node);
    reportSecret(writer, made, { content, at });
    const id = String(made?.id);
    const later = Object.fromEntries(members.filter(isLater));
    if (writer.update && Object.keys(later).length > 0) {
      await run(writer.update, { params: { ...params, [writer.param]: id }, body: later }, node);
    }
    return id;
  }

  /** A secret that the content has itself is a reference. */
  function reportSecret(
    { madeSecret }: ResourceWriter,
    response: ResourceMembers | undefined,
    { content, at }: { content: ResourceMembers; at: readonly string[] },
  ): void {
    if (madeSecret === undefined || readMember(content, madeSecret) !== undefined) return;
    const value = readMember(response, madeSecret);
    if (typeof value === 'string') onSecret({ path: [...at, madeSecret].join('.'), value });
  }

  /** What it belongs to, or refers to, may have been removed with it. */
  async function remove(writer: ResourceWriter, node: PlanNode, above: ResourceMembers): Promise<void> {
    const params = { ...above, [writer.param]: node.before?.resource?.id };
    await run(writer.remove, { params }, node).catch(ifMissing(undefined));
  }

  /** Of two agents, one may call the other only when that one does not call it any more. */
  async function removeReplaced({ param, parts = {} }: ResourceWriter, { before, parts: lists }: PlanNode) {
    for (const [name, writer] of Object.entries(parts)) {
      if (writer.update) continue;
      const gone = (lists[name] ?? []).filter((part) => part.before && (!part.after || isWritten(part)));
      for (const part of gone) await remove(writer, part, { [param]: before?.resource?.id });
    }
  }

  return { write, remove, removeReplaced, run };
}

const readMember = (value: unknown, path: string): unknown =>
  path.split('.').reduce((place, name) => (place as ResourceMembers | undefined)?.[name], value);

const sendAgain = 'Part of the document is applied. Send it again, without planHash, to apply the rest';

/** The error of an operation, with the place of the resource in the document. */
function placeError(error: unknown, { after, key }: PlanNode): unknown {
  if (!(error instanceof ServiceError) || !['VALIDATION', 'NOT_FOUND', 'CONFLICT'].includes(error.code)) {
    return error;
  }
  const at = after?.path.map(String) ?? [];
  const details = error.details.map((detail) => ({
    ...detail,
    path: [...at, detail.path].filter(Boolean).join('.'),
  }));
  const whole = { path: at.join('.'), code: 'CONFLICT' as const, message: error.message };
  const message = `${error.message}: "${key}". What was applied before it stays`;
  return new ServiceError(error.code, message, { details: details.length > 0 ? details : [whole] });
}
