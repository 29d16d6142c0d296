import { loadOnce } from '../../../core/concurrency/load-once.ts';
import type { BuiltinToolId } from '../../../domain/tools/builtin/index.ts';
import type { AnyBuiltinRunner } from '../../tool-support/tool-runner.ts';

/** Loaded when they run first. */
const runners: Record<BuiltinToolId, () => Promise<AnyBuiltinRunner>> = {
  'web-search': loadOnce(async () => (await import('./web-search.ts')).webSearchToolRunner),
  'fetch-url': loadOnce(async () => (await import('./fetch-url.ts')).fetchUrlToolRunner),
  'code-sandbox': loadOnce(async () => (await import('./code-sandbox.ts')).codeSandboxToolRunner),
  'date-time': loadOnce(async () => (await import('./date-time.ts')).dateTimeToolRunner),
  calculator: loadOnce(async () => (await import('./calculator.ts')).calculatorToolRunner),
  'json-query': loadOnce(async () => (await import('./json-query.ts')).jsonQueryToolRunner),
  'record-search': loadOnce(async () => (await import('./record-search.ts')).recordSearchToolRunner),
  'record-upsert': loadOnce(async () => (await import('./record-upsert.ts')).recordUpsertToolRunner),
  'vector-search': loadOnce(async () => (await import('./vector-search.ts')).vectorSearchToolRunner),
  'send-email': loadOnce(async () => (await import('./send-email.ts')).sendEmailToolRunner),
};

export const loadBuiltinRunner = (id: string): Promise<AnyBuiltinRunner> => runners[id as BuiltinToolId]();
