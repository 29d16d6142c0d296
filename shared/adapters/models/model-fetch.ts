import { limitedFetch } from '../../core/limited-fetch.ts';

/** The longest text that a model may answer, as long as what a script or a template may make. */
export const answerCharactersMax = 4_000_000;

/** Streamed, every few characters come in some 300 bytes of JSON, which are not kept. */
const bytesMax = { whole: 10_000_000, streamed: 50_000_000 };

/** How providers of language models are asked. */
export const modelFetch = limitedFetch(({ headers }) =>
  headers.get('content-type')?.startsWith('text/event-stream') ? bytesMax.streamed : bytesMax.whole,
);

/** How providers of embeddings are asked: 500 texts may make vectors of 4,096 numbers. */
export const embeddingFetch = limitedFetch(50_000_000);
