import { expect, test } from 'vitest';
import * as z from 'zod';
import { endpoints } from '../../functions/index.ts';
import { newId } from '../../shared/core/ids.ts';
import { limitFindings } from '../../shared/domain/flows/analysis/finding.ts';
import { type CheckedSteps, normaliseSteps } from '../../shared/domain/flows/checking/flow-steps.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { answerBytesMax } from '../../shared/platform/http/responses/body-sizes.ts';
import { isStreamed } from '../../shared/platform/http/responses/response.ts';

const all: readonly AnyEndpoint[] = endpoints;

/** Why the lists, maps and free-form values of each response fit an answer of Lambda. */
const bounds: Record<string, string> = {
  'agent-executions.get': 'four parts of 1.25 MB each: longer texts are null, lists end',
  'agent-executions.get-tool-call': 'the arguments that a model wrote, and a result of 200,000 characters',
  'agent-executions.list': '100 rows of a few short texts',
  'agent-executions.list-tool-calls': 'ends at 5 MB',
  'agent-versions.get': 'an agent, 300 KB',
  'agent-versions.get-published': 'an agent, 300 KB',
  'agent-versions.list': 'ends at 5 MB, continued by `before`',
  'agents.add-capability': 'a capability, 70 KB',
  'agents.create': 'an agent, 300 KB',
  'agents.fetch-agent-card': 'a card, 1 MB',
  'agents.export-runtime': 'an export, 5 MB',
  'agents.get': 'an agent, 300 KB',
  'agents.list': 'ends at 5 MB, continued by `cursor`',
  'agents.refresh-agent-card': 'an agent, 300 KB',
  'agents.update': 'an agent, 300 KB',
  'products.create': 'a product, 300 KB',
  'products.get': 'a product, 300 KB, and 40 surfaces of 100 KB',
  'products.list': '100 rows with up to 64 and 40 short names',
  'products.update': 'a product, 300 KB',
  'products.add-capability': 'a capability, 70 KB',
  'products.update-capability': 'a capability, 70 KB',
  'surfaces.create': 'a surface, 100 KB',
  'surfaces.get': 'a surface, 100 KB, what its items expose, 2 MB, and 50 keys',
  'surfaces.list': '40 surfaces of 100 KB',
  'surfaces.update': 'a surface, 100 KB',
  'surfaces.deliveries': '100 deliveries of 20 attempts of 700 bytes',
  'surfaces.resend-delivery': 'a delivery of 20 attempts of 700 bytes',
  'surfaces.add-item': 'an item, 100 KB',
  'surfaces.update-item': 'an item, 100 KB',
  'surfaces.document': 'the schemas of a product, 300 KB, and 64 items',
  'surface-mcp.metadata': 'one issuer',
  'surface-a2a.keys': 'one public key, 10 KB',
  'surface-a2a.card': '64 skills with the names of their parameters, 2 MB',
  'schedules.create': 'a schedule, 50 KB',
  'imports.create': 'an import, and the headers of an address, of which there are none',
  'imports.get': 'an import, and the addresses of 80 parts at most',
  'imports.list': '100 rows of a few short texts and an address',
  'imports.start': 'three lists that end at 1.5 MB each',
  'imports.problems': '100 rows of 2 KB',
  'exports.list': '100 rows of a few short texts and an address',
  'waits.list': 'ends at 5 MB, continued by `cursor`',
  'waits.answer-many': '100 rows of a few short texts',
  'waits.claim': 'details of 20,000 characters or arguments of a tool, and a form of 64 KB',
  'waits.release': 'as `waits.claim`',
  'waits.reassign': 'as `waits.claim`',
  'waits.remind': 'as `waits.claim`',
  'waits.answer': 'as `waits.claim`',
  'alerts.list': '100 alerts with 20 addresses',
  'alerts.create': 'an alert with 20 addresses',
  'alerts.get': 'an alert with 20 addresses',
  'alerts.update': 'an alert with 20 addresses',
  'alerts.history': '100 rows of a few short texts',
  'runs.list': '100 rows of a few short texts and ten tags',
  'runs.answer': 'values of 100 KB',
  'runs.get': 'a row, an input and an output of 1 MB each, and open waits of 1 MB',
  'run-waits.show': 'a question of 5,000 characters, details of 20,000, and a form of 64 KB',
  'runs.trace': '5,000 spans of a few short attributes, and 2 MB of content',
  'telemetry.get': 'an address and twenty names of headers',
  'telemetry.put': 'an address and twenty names of headers',
  'schedules.get': 'a schedule, 50 KB, and ten runs',
  'schedules.list': '100 schedules of 50 KB',
  'schedules.runs': '100 rows of a few short texts',
  'schedules.update': 'a schedule, 50 KB',
  'surface-keys.create': 'a key with 64 scopes',
  'surface-keys.list': '50 keys with 64 scopes each',
  'client-chat.init': 'what a token of 12 KB and a flow show, and a page of messages, 5 MB',
  'client-chat.conversation': 'a page of messages, 5 MB',
  'client-chat.conversations': 'the title of one conversation',
  'client-tokens.conversations': '100 rows of a few short texts',
  'client-tokens.create': 'a token, 12 KB',
  'client-tokens.get': 'a token, 12 KB',
  'client-tokens.list': '200 tokens of 12 KB',
  'client-tokens.regenerate': 'the lists of a token, 12 KB',
  'client-tokens.update': 'a token, 12 KB',
  'conversations.create': 'a conversation without messages, 100 KB',
  'conversations.get': 'a conversation, 100 KB, and messages that end at 5 MB, continued by `messagesCursor`',
  'conversations.list': '100 rows of a few short texts',
  'conversations.update': 'a conversation, 100 KB, and messages that end at 5 MB',
  'api-keys.analytics': 'one row per key and day of a short period',
  'api-keys.create': 'at most 100 permissions and 100 addresses',
  'api-keys.get': 'at most 100 permissions and 100 addresses',
  'api-keys.list': '200 keys of up to 4 KB',
  'api-keys.options': 'constants',
  'public.redeem-login': 'at most 100 permissions',
  'api-keys.regenerate': 'at most 100 permissions and 100 addresses',
  'api-keys.update': 'at most 100 permissions and 100 addresses',
  'audit-log.list': '100 changes of at most 20 KB',
  'batches.status': 'one output, null over 5 MB',
  'batches.summary': '50 batches',
  'flow-versions.get': 'the steps of a flow, 5 MB',
  'flow-versions.get-published': 'the steps of a flow, 5 MB',
  'flow-versions.list': 'ends at 5 MB, continued by `before`',
  'flows.create': 'the steps of a flow, 5 MB',
  'flows.export-runtime': 'the steps of a flow, 5 MB',
  'flows.get': 'the steps of a flow, 5 MB',
  'flows.list': '100 rows of a few short texts',
  'flows.run-on-record-type': '1,000 records of two short texts',
  'flows.step-results': 'ends at 5 MB, continued by `offset`',
  'flows.update': 'the steps of a flow, 5 MB',
  'openai.list-models': 'one row per offer of the catalog and config, 1,000 names of 255 characters, 1 MB',
  'model-configs.available': 'one row per offer of the catalog, 300 KB',
  'batches.forecast': 'the costs of 1,000 steps, 500 KB',
  'flows.recompute': 'the costs of 1,000 steps, 500 KB',
  'budgets.create': 'a budget, 10 KB',
  'budgets.get': 'a budget, 10 KB',
  'budgets.list': '100 budgets of 10 KB',
  'budgets.update': 'a budget, 10 KB',
  'model-configs.create': 'a config, 8 KB',
  'model-configs.grouped': 'one row per model of the catalog, 300 KB',
  'model-configs.list': '200 configs of up to 8 KB',
  'model-configs.search-capable': 'three providers',
  'model-configs.search-configured': 'three providers',
  'model-configs.set-default': 'a config, 8 KB',
  'model-configs.usage': '1,000 models',
  'model-configs.update': 'a config, 8 KB',
  'provider-keys.create': 'a key with settings of 2 KB',
  'provider-keys.list': '100 keys with settings of 2 KB',
  'provider-keys.update': 'a key with settings of 2 KB',
  'run-metrics.get': '10,000 points of 250 bytes, or ten groups of 762',
  'run-feedback.list-of-run': 'ends at 4 MB, continued by `cursor`',
  'run-feedback.list': 'ends at 4 MB, continued by `cursor`',
  'model-usage.get': '732 days and 1,000 models',
  'public.sign-in': 'three scopes',
  'public.validate-flow': 'three lists that end at a third of 5 MB',
  'records.bulk-delete': '1,000 ids',
  'records.bulk-edit': '10,000 ids and 5 MB of records',
  'records.costs': 'one row per model that the record was run with',
  'records.create': 'a record, 384 KB',
  'records.field-values': 'ends at 5 MB, and says so in `truncated`',
  'records.get': 'a record, 384 KB',
  'records.list': 'ends at 5 MB, continued by `cursor`',
  'records.preview-filter': 'five records',
  'records.results': 'ends at 5 MB: later rows omit the result',
  'records.schema': 'ends at 5 MB',
  'records.step-results': 'ends at 5 MB, continued by `offset`',
  'records.types': '2,000 types of 255 characters',
  'records.update': 'a record, 384 KB',
  'records.upload-csv': 'ends at 5 MB, and counts all',
  'tools.builtin': 'constants',
  'tools.builtin-compatible': 'constants',
  'tools.builtin-schema': 'constants',
  'tools.create': 'a tool, at most 190 KB, and 20 warnings',
  'tool-runs.execute': 'one result, a failure over 5 MB',
  'tool-runs.list': '100 rows of a few short texts',
  'tools.get': 'a tool, at most 190 KB',
  'tools.list': 'ends at 5 MB, continued by `cursor`',
  'tools.schema': '50 tools, ends at 5 MB',
  'tool-runs.test': 'one request of at most 190 KB and one result',
  'tools.update': 'a tool, at most 190 KB, and 20 warnings',
  'mcp-authorization.client-metadata': 'constants',
  'mcp-connections.authorize': 'a connection, 50 KB',
  'mcp-connections.create': 'a connection, 50 KB',
  'mcp-connections.get': 'a connection, 50 KB',
  'mcp-connections.list': '100 connections of up to 50 KB',
  'secrets.check': '50 keys',
  'secrets.intake-manifest': 'the secrets of one link',
  'secrets.intake-submit': 'the secrets of one link',
  'secrets.list': '500 secrets of up to 8 KB',
  'secrets.setup-url': 'the secrets of one request',
  'workspace.apply': 'a row of two short texts for each of 12,000 resources at most',
  'workspace.plan': 'the rows, 100 errors, and diffs of 3 MB together',
};

/** Whether a JSON schema has a list, an open map or a value of any type. */
const isOpen = (schema: unknown): boolean => {
  if (typeof schema !== 'object' || schema === null) return false;
  const { type, additionalProperties } = schema as Record<string, unknown>;
  if (type === 'array' || typeof additionalProperties === 'object' || Object.keys(schema).length === 0)
    return true;
  return Object.values(schema).some((each) => (Array.isArray(each) ? each.some(isOpen) : isOpen(each)));
};

test('every response that may be of any size states what bounds it', () => {
  const open = all.filter((endpoint) => {
    const { response } = endpoint;
    if (isStreamed(endpoint) || response.kind !== 'json') return false;
    return Object.values(response.bodies).some((body) =>
      isOpen(z.toJSONSchema(body as z.ZodType, { unrepresentable: 'any', io: 'output' })),
    );
  });
  expect(open.map(({ id }) => id).filter((id) => !bounds[id])).toEqual([]);
  expect(Object.keys(bounds).filter((id) => !open.some((endpoint) => endpoint.id === id))).toEqual([]);
});

const answerBytes = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer));

test('the steps of a flow fit an answer, or the flow is not saved', () => {
  const steps = (unit: string, length: number) =>
    [{ type: 'send-text', name: 's', config: { text: unit.repeat(length) } }] as unknown as CheckedSteps;
  expect(normaliseSteps(steps('x', 4_900_000), newId)).toHaveLength(1);
  for (const [unit, length] of [
    ['"', 1_700_000],
    ['x', 5_100_000],
    ['\u0001', 800_000],
  ] as const) {
    expect(() => normaliseSteps(steps(unit, length), newId)).toThrow(
      expect.objectContaining({ code: 'TOO_LARGE' }),
    );
  }
});

test('findings that repeat long texts fit an answer, and the rest are counted', () => {
  const message = '"'.repeat(10_000);
  const findings = limitFindings(Array.from({ length: 900 }, () => ({ code: 'C', message, path: '' })));
  expect(3 * answerBytes({ body: JSON.stringify(findings) })).toBeLessThan(answerBytesMax);
  expect(findings.at(-1)).toMatchObject({
    message: `${900 - findings.length + 1} more findings are not listed`,
  });
});
