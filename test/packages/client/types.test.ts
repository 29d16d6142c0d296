import { expectTypeOf, test } from 'vitest';
import type {
  Client,
  OperationEvent,
  OperationId,
  OperationItem,
  OperationRequest,
  OperationResponse,
  PagedOperation,
  Schemas,
  StreamingOperation,
} from '../../../packages/client/src/client.ts';

// `npm run check` checks these.
test('operations, requests and responses have the declared types', () => {
  expectTypeOf<'flows.list'>().toExtend<OperationId>();
  expectTypeOf<'flows.nothing'>().not.toExtend<OperationId>();
  expectTypeOf<object>().toExtend<OperationRequest<'flows.list'>>();
  expectTypeOf<object>().not.toExtend<OperationRequest<'flows.get'>>();
  expectTypeOf<OperationRequest<'flows.get'>['params']>().toEqualTypeOf<{ id: string }>();
  expectTypeOf<OperationRequest<'flows.get'>>().not.toHaveProperty('body');
  expectTypeOf<OperationRequest<'records.upload-csv'>['body']['file']>().toEqualTypeOf<Blob>();
  expectTypeOf<OperationResponse<'flows.get'>>().toEqualTypeOf<Schemas.Flow>();
  expectTypeOf<Schemas.Flow['description']>().toEqualTypeOf<string | null>();
  expectTypeOf<OperationResponse<'flows.delete'>>().toEqualTypeOf<undefined>();
  expectTypeOf<OperationResponse<'public.get-file'>>().toEqualTypeOf<Blob>();
  expectTypeOf<OperationResponse<'conversations.export'>>().toEqualTypeOf<string>();
  type Run = OperationResponse<'flows.run-on-record-type'>;
  expectTypeOf<Run['status']>().toEqualTypeOf<'completed' | 'scheduled'>();
  expectTypeOf<Extract<Run, { status: 'completed' }>['successCount']>().toEqualTypeOf<number>();
});

test('a request cannot have what the operation does not declare', () => {
  const step = { type: 'nothing', name: 'x', config: {} } as const;
  expectTypeOf<typeof step>().not.toExtend<Schemas.FlowStepInput>();
  expectTypeOf<{
    type: 'template';
    name: string;
    config: { template: string };
  }>().toExtend<Schemas.TemplateStep>();
  expectTypeOf<Client['flows']['list']>().toBeCallableWith({ query: { limit: 1, search: 'a' } });
  expectTypeOf<Client['flows']['list']>().toBeCallableWith();
  expectTypeOf<Client['runs']['list']>().toBeCallableWith({ query: { kind: ['flow'] } });
});

test('only server-sent events can be streamed, and only pages iterated', () => {
  expectTypeOf<StreamingOperation>().toEqualTypeOf<
    | 'dispatch.run'
    | 'dispatch.resume'
    | 'dispatch.approve'
    | 'dispatch.continue'
    | 'dispatch.retry'
    | 'agent-runs.execute'
    | 'agent-runs.resume'
    | 'agent-runs.approve'
    | 'agent-runs.events'
    | 'surface-runs.run'
    | 'client-chat.send'
    | 'client-chat.resume'
    | 'client-chat.approve'
    | 'client-chat.events'
    | 'openai.complete-chat'
    | 'openai.respond'
  >();
  expectTypeOf<OperationEvent<'dispatch.run'>['seq']>().toEqualTypeOf<number>();
  expectTypeOf<Client['dispatch']['stream']>().toEqualTypeOf<Client['dispatch']['run']['stream']>();
  expectTypeOf<Client['records']['iterate']>().toEqualTypeOf<Client['records']['list']['iterate']>();
  expectTypeOf<'records.list' | 'records.results' | 'records.types'>().toExtend<PagedOperation>();
  expectTypeOf<'secrets.list'>().not.toExtend<PagedOperation>();
  expectTypeOf<OperationItem<'flows.list'>>().toEqualTypeOf<Schemas.FlowListItem>();
  // A response of events alone has no plain method.
  expectTypeOf<Client['agentRuns']['events']>().not.toBeFunction();
  expectTypeOf<Client['flows']['get']>().not.toHaveProperty('stream');
});
