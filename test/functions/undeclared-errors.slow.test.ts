import { expect, test } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import { listErrorStatuses } from '../../shared/platform/http/declared-statuses.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { whyNotDescribed } from '../support/stack/described.ts';
import { newTenant, stack } from '../support/stack/stack.ts';

const all = endpoints as readonly AnyEndpoint[];

interface Wrong {
  what: string;
  /** What an operation that needs a credential returns. Default: any status that it declares. */
  status?: number;
  body?: string;
  query?: string;
  headers?: Record<string, string>;
}

/** Requests that no operation expects. */
const wrong: Wrong[] = [
  { what: 'no credential', status: 401, headers: { authorization: '' } },
  { what: 'no JSON', body: '{' },
  { what: 'a list', body: '[]' },
  { what: 'nothing' },
  { what: 'long headers', status: 431, headers: { 'x-long': 'x'.repeat(10_300) } },
  { what: 'another media type accepted', headers: { accept: 'text/html' } },
  { what: 'a message of JSON-RPC', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'nothing' }) },
  { what: 'a strange query', query: '?limit=0&cursor=x&after=-1&before=q&type=x&status=x&from=x' },
];

/** The gateway and the parser of bodies refuse them for any endpoint alike, so one of each kind shows it. */
const wrongForKinds: Wrong[] = [
  { what: 'a text', body: 'x', headers: { 'content-type': 'text/plain' } },
  { what: 'another charset', body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } },
  { what: 'a forbidden member', body: '{"__proto__": 1}' },
  { what: 'very deep', body: '['.repeat(20_000) },
  { what: 'too large', status: 413, body: JSON.stringify({ a: 'x'.repeat(6_100_000) }) },
];
const kindsOf = ({ method, permission, bodyType }: AnyEndpoint) =>
  JSON.stringify([method, permission === 'public', bodyType]);
const firstOfKinds = new Set([...Map.groupBy(all, kindsOf).values()].map(([first]) => first as AnyEndpoint));

/** The path of an endpoint with ids that do not exist. */
const pathOf = ({ path }: AnyEndpoint) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => `${prefixes[name] ?? kindOf(path)}_${'0'.repeat(26)}`);
const kindOf = (path: string) => {
  const group = path.split('/')[2] ?? '';
  return { 'client-tokens': 'clienttoken', conversations: 'conv' }[group] ?? group.slice(0, -1);
};
const prefixes: Record<string, string> = {
  agentId: 'agent',
  flowId: 'flow',
  capabilityId: 'cap',
  executionId: 'exec',
  toolCallId: 'call',
  versionId: 'agentver',
  surfaceId: 'surface',
  itemId: 'item',
  keyId: 'surfkey',
  endpointSlug: 'slug',
};

test.each(all.map((endpoint) => [endpoint.id, endpoint] as const))(
  '%s returns no error that the document does not describe, with its body, whatever is wrong with a request',
  async (_id, endpoint) => {
    const tenant = await newTenant();
    const declared = listErrorStatuses(endpoint);
    const isPublic = endpoint.permission === 'public' || endpoint.accepts !== undefined;
    const problems: string[] = [];
    const tried = firstOfKinds.has(endpoint) ? [...wrong, ...wrongForKinds] : wrong;
    if (endpoint.method !== 'GET' && !declared.includes(413)) problems.push('413 is not declared');
    for (const { what, status: wanted, body, query = '', headers } of tried) {
      if (body !== undefined && endpoint.method === 'GET') continue;
      const response = await fetch(stack().url + pathOf(endpoint) + query, {
        method: endpoint.method,
        headers: { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
      });
      const { status } = response;
      const answer = { status, headers: response.headers, text: status < 400 ? '' : await response.text() };
      await response.body?.cancel().catch(() => {});
      const why = status < 400 ? undefined : whyNotDescribed(endpoint, answer);
      if (why !== undefined) problems.push(`${what}: ${why}`);
      if (wanted && !isPublic && status !== wanted) problems.push(`${what}: ${status} instead of ${wanted}`);
    }
    expect(problems).toEqual([]);
  },
);
