import type { StepTypeName } from '../../domain/flows/step-types/index.ts';
import type { AnyStepRunner } from '../step-support/step-runner.ts';

/** What runs each type of step, loaded when it is first needed: a browser of HTML or a maker of PDFs is no small thing. */
const loaders: Record<StepTypeName, () => Promise<AnyStepRunner>> = {
  prompt: async () => (await import('./prompt.ts')).prompt,
  template: async () => (await import('./template.ts')).template,
  'transform-data': async () => (await import('./transform-data.ts')).transformData,
  conditional: async () => (await import('./conditional.ts')).conditional,
  'set-variable': async () => (await import('./set-variable.ts')).setVariable,
  'api-call': async () => (await import('./api-call.ts')).apiCall,
  'fetch-url': async () => (await import('./fetch-url.ts')).fetchUrl,
  crawl: async () => (await import('./crawl.ts')).crawl,
  search: async () => (await import('./search.ts')).search,
  'fetch-github': async () => (await import('./fetch-github.ts')).fetchGithub,
  'paginate-api': async () => (await import('./paginate-api.ts')).paginateApi,
  'upsert-record': async () => (await import('./upsert-record.ts')).upsertRecord,
  'retrieve-record': async () => (await import('./retrieve-record.ts')).retrieveRecord,
  'update-record': async () => (await import('./update-record.ts')).updateRecord,
  'wait-until': async () => (await import('./wait-until.ts')).waitUntil,
  'send-stream': async () => (await import('./send-stream.ts')).sendStream,
  'send-email': async () => (await import('./send-email.ts')).sendEmail,
  'send-text': async () => (await import('./send-text.ts')).sendText,
  'send-event': async () => (await import('./send-event.ts')).sendEvent,
  'generate-embedding': async () => (await import('./generate-embedding.ts')).generateEmbedding,
  'store-vector': async () => (await import('./store-vector.ts')).storeVector,
  'vector-search': async () => (await import('./vector-search.ts')).vectorSearch,
  'store-asset': async () => (await import('./store-asset.ts')).storeAsset,
  'generate-pdf': async () => (await import('./generate-pdf.ts')).generatePdf,
};

const loaded = new Map<string, AnyStepRunner>();

/** The runner of a stored step's type. */
export async function runnerOf(type: string): Promise<AnyStepRunner> {
  const known = loaded.get(type);
  if (known) return known;
  const load = Object.hasOwn(loaders, type) ? loaders[type as StepTypeName] : undefined;
  if (!load) throw new Error(`There is no step type ${type}`);
  const runner = await load();
  loaded.set(type, runner);
  return runner;
}
