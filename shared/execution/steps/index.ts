import { loadOnce } from '../../core/load-once.ts';
import type { StepTypeName } from '../../domain/flows/step-types/index.ts';
import type { AnyStepRunner } from '../step-support/step-runner.ts';

/** The runner of each step type, loaded on first use: those that read pages or repositories are large. */
const loaders: Record<StepTypeName, () => Promise<AnyStepRunner>> = {
  prompt: loadOnce(async () => (await import('./prompt.ts')).prompt),
  template: loadOnce(async () => (await import('./template.ts')).template),
  'transform-data': loadOnce(async () => (await import('./transform-data.ts')).transformData),
  conditional: loadOnce(async () => (await import('./conditional.ts')).conditional),
  'set-variable': loadOnce(async () => (await import('./set-variable.ts')).setVariable),
  'api-call': loadOnce(async () => (await import('./api-call.ts')).apiCall),
  'fetch-url': loadOnce(async () => (await import('./fetch-url.ts')).fetchUrl),
  crawl: loadOnce(async () => (await import('./crawl.ts')).crawl),
  search: loadOnce(async () => (await import('./search.ts')).search),
  'fetch-github': loadOnce(async () => (await import('./fetch-github.ts')).fetchGithub),
  'paginate-api': loadOnce(async () => (await import('./paginate-api.ts')).paginateApi),
  'upsert-record': loadOnce(async () => (await import('./upsert-record.ts')).upsertRecord),
  'retrieve-record': loadOnce(async () => (await import('./retrieve-record.ts')).retrieveRecord),
  'update-record': loadOnce(async () => (await import('./update-record.ts')).updateRecord),
  'wait-until': loadOnce(async () => (await import('./wait-until.ts')).waitUntil),
  'send-stream': loadOnce(async () => (await import('./send-stream.ts')).sendStream),
  'send-email': loadOnce(async () => (await import('./send-email.ts')).sendEmail),
  'send-text': loadOnce(async () => (await import('./send-text.ts')).sendText),
  'send-event': loadOnce(async () => (await import('./send-event.ts')).sendEvent),
  'generate-embedding': loadOnce(async () => (await import('./generate-embedding.ts')).generateEmbedding),
  'store-vector': loadOnce(async () => (await import('./store-vector.ts')).storeVector),
  'vector-search': loadOnce(async () => (await import('./vector-search.ts')).vectorSearch),
  'store-asset': loadOnce(async () => (await import('./store-asset.ts')).storeAsset),
  'generate-pdf': loadOnce(async () => (await import('./generate-pdf.ts')).generatePdf),
};

/** The runner of a stored step's type. */
export function runnerOf(type: string): Promise<AnyStepRunner> {
  const load = Object.hasOwn(loaders, type) ? loaders[type as StepTypeName] : undefined;
  if (!load) throw new Error(`Unknown step type ${type}`);
  return load();
}
