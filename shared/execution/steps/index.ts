import { loadOnce } from '../../core/concurrency/load-once.ts';
import type { StepTypeName } from '../../domain/flows/step-types/index.ts';
import type { AnyStepRunner } from '../step-support/step-runner.ts';
import { apiCall } from './api-call.ts';
import { conditional } from './conditional.ts';
import { flow } from './flow.ts';
import { generateEmbedding } from './generate-embedding.ts';
import { loop } from './loop.ts';
import { map } from './map.ts';
import { memorySummaryRunner } from './memory-summary.ts';
import { parallel } from './parallel.ts';
import { prompt } from './prompt.ts';
import { recallMemoryRunner } from './recall-memory.ts';
import { retrieveRecord } from './retrieve-record.ts';
import { saveMemoryRunner } from './save-memory.ts';
import { sendEmail } from './send-email.ts';
import { sendEvent } from './send-event.ts';
import { sendStream } from './send-stream.ts';
import { sendText } from './send-text.ts';
import { setVariable } from './set-variable.ts';
import { storeVector } from './store-vector.ts';
import { template } from './template.ts';
import { transformData } from './transform-data.ts';
import { updateRecord } from './update-record.ts';
import { upsertRecord } from './upsert-record.ts';
import { vectorSearch } from './vector-search.ts';
import { waitUntil } from './wait-until.ts';

/** Runners with large libraries, loaded on first use. */
const large = {
  'fetch-url': loadOnce(async () => (await import('./fetch-url.ts')).fetchUrl),
  crawl: loadOnce(async () => (await import('./crawl.ts')).crawl),
  search: loadOnce(async () => (await import('./search.ts')).search),
  'fetch-github': loadOnce(async () => (await import('./fetch-github.ts')).fetchGithub),
  'paginate-api': loadOnce(async () => (await import('./paginate-api.ts')).paginateApi),
  'store-asset': loadOnce(async () => (await import('./store-asset.ts')).storeAsset),
  'tool-call': loadOnce(async () => (await import('./tool-call.ts')).toolCall),
  'execute-agent': loadOnce(async () => (await import('./execute-agent.ts')).executeAgent),
  approval: loadOnce(async () => (await import('./approval.ts')).approval),
  'wait-for-callback': loadOnce(async () => (await import('./wait-for-callback.ts')).waitForCallback),
  'generate-pdf': loadOnce(async () => (await import('./generate-pdf.ts')).generatePdf),
} satisfies { [Type in StepTypeName]?: () => Promise<AnyStepRunner> };

/** The others. They are small: as files of their own they would make the cold start longer. */
const small: Record<Exclude<StepTypeName, keyof typeof large>, AnyStepRunner> = {
  prompt,
  template,
  'transform-data': transformData,
  conditional,
  parallel,
  map,
  loop,
  flow,
  'set-variable': setVariable,
  'api-call': apiCall,
  'upsert-record': upsertRecord,
  'retrieve-record': retrieveRecord,
  'update-record': updateRecord,
  'wait-until': waitUntil,
  'send-stream': sendStream,
  'send-email': sendEmail,
  'send-text': sendText,
  'send-event': sendEvent,
  'generate-embedding': generateEmbedding,
  'store-vector': storeVector,
  'vector-search': vectorSearch,
  'save-memory': saveMemoryRunner,
  'recall-memory': recallMemoryRunner,
  'memory-summary': memorySummaryRunner,
};

export async function runnerOf(type: string): Promise<AnyStepRunner> {
  if (Object.hasOwn(small, type)) return small[type as keyof typeof small];
  if (Object.hasOwn(large, type)) return large[type as keyof typeof large]();
  throw new Error(`Unknown step type ${type}`);
}
