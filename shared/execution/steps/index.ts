import { loadOnce } from '../../core/concurrency/load-once.ts';
import type { StepTypeName } from '../../domain/flows/step-types/index.ts';
import type { AnyStepRunner } from '../step-support/step-runner.ts';
import { apiCallRunner } from './api-call.ts';
import { conditionalRunner } from './conditional.ts';
import { flowRunner } from './flow.ts';
import { generateEmbeddingRunner } from './generate-embedding.ts';
import { loopRunner } from './loop.ts';
import { mapRunner } from './map.ts';
import { memorySummaryRunner } from './memory-summary.ts';
import { parallelRunner } from './parallel.ts';
import { promptRunner } from './prompt.ts';
import { recallMemoryRunner } from './recall-memory.ts';
import { reduceRunner } from './reduce.ts';
import { retrieveRecordRunner } from './retrieve-record.ts';
import { saveMemoryRunner } from './save-memory.ts';
import { sendEmailRunner } from './send-email.ts';
import { sendEventRunner } from './send-event.ts';
import { sendStreamRunner } from './send-stream.ts';
import { sendTextRunner } from './send-text.ts';
import { setVariableRunner } from './set-variable.ts';
import { storeVectorRunner } from './store-vector.ts';
import { templateRunner } from './template.ts';
import { transformDataRunner } from './transform-data.ts';
import { updateRecordRunner } from './update-record.ts';
import { upsertRecordRunner } from './upsert-record.ts';
import { vectorSearchRunner } from './vector-search.ts';
import { waitUntilRunner } from './wait-until.ts';

/** Runners with large libraries, loaded on first use. */
const large = {
  'fetch-url': loadOnce(async () => (await import('./fetch-url.ts')).fetchUrlRunner),
  crawl: loadOnce(async () => (await import('./crawl.ts')).crawlRunner),
  search: loadOnce(async () => (await import('./search.ts')).searchRunner),
  'fetch-github': loadOnce(async () => (await import('./fetch-github.ts')).fetchGithubRunner),
  'paginate-api': loadOnce(async () => (await import('./paginate-api.ts')).paginateApiRunner),
  'store-asset': loadOnce(async () => (await import('./store-asset.ts')).storeAssetRunner),
  'tool-call': loadOnce(async () => (await import('./tool-call.ts')).toolCallRunner),
  'execute-agent': loadOnce(async () => (await import('./execute-agent.ts')).executeAgentRunner),
  approval: loadOnce(async () => (await import('./approval.ts')).approvalRunner),
  'wait-for-callback': loadOnce(async () => (await import('./wait-for-callback.ts')).waitForCallbackRunner),
  'generate-pdf': loadOnce(async () => (await import('./generate-pdf.ts')).generatePdfRunner),
} satisfies { [Type in StepTypeName]?: () => Promise<AnyStepRunner> };

/** The others. They are small: as files of their own they would make the cold start longer. */
const small: Record<Exclude<StepTypeName, keyof typeof large>, AnyStepRunner> = {
  prompt: promptRunner,
  template: templateRunner,
  'transform-data': transformDataRunner,
  conditional: conditionalRunner,
  parallel: parallelRunner,
  map: mapRunner,
  loop: loopRunner,
  reduce: reduceRunner,
  flow: flowRunner,
  'set-variable': setVariableRunner,
  'api-call': apiCallRunner,
  'upsert-record': upsertRecordRunner,
  'retrieve-record': retrieveRecordRunner,
  'update-record': updateRecordRunner,
  'wait-until': waitUntilRunner,
  'send-stream': sendStreamRunner,
  'send-email': sendEmailRunner,
  'send-text': sendTextRunner,
  'send-event': sendEventRunner,
  'generate-embedding': generateEmbeddingRunner,
  'store-vector': storeVectorRunner,
  'vector-search': vectorSearchRunner,
  'save-memory': saveMemoryRunner,
  'recall-memory': recallMemoryRunner,
  'memory-summary': memorySummaryRunner,
};

export async function loadStepRunner(type: string): Promise<AnyStepRunner> {
  if (Object.hasOwn(small, type)) return small[type as keyof typeof small];
  if (Object.hasOwn(large, type)) return large[type as keyof typeof large]();
  throw new Error(`Unknown step type ${type}`);
}
