import { loadOnce } from '../../../core/concurrency/load-once.ts';
import type { BuiltinToolId } from '../../../domain/tools/builtin/index.ts';
import type { AnyBuiltinRunner } from '../../tool-support/builtin-runner.ts';

/** Loaded when they run first. */
const runners: Record<BuiltinToolId, () => Promise<AnyBuiltinRunner>> = {
  'web-search': loadOnce(async () => (await import('./web-search.ts')).webSearch),
  'fetch-url': loadOnce(async () => (await import('./fetch-url.ts')).fetchUrl),
  'code-sandbox': loadOnce(async () => (await import('./code-sandbox.ts')).codeSandbox),
  'date-time': loadOnce(async () => (await import('./date-time.ts')).dateTime),
  calculator: loadOnce(async () => (await import('./calculator.ts')).calculator),
  'json-query': loadOnce(async () => (await import('./json-query.ts')).jsonQuery),
  'record-search': loadOnce(async () => (await import('./record-search.ts')).recordSearch),
  'record-upsert': loadOnce(async () => (await import('./record-upsert.ts')).recordUpsert),
  'vector-search': loadOnce(async () => (await import('./vector-search.ts')).vectorSearch),
  'send-email': loadOnce(async () => (await import('./send-email.ts')).sendEmail),
};

export const builtinRunnerOf = (id: string): Promise<AnyBuiltinRunner> => runners[id as BuiltinToolId]();
