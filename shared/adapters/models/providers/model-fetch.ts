import { streamingFetch } from '../../net/streaming-fetch.ts';

/** The longest text of a response, equal to the limit for scripts and templates. */
export const responseCharactersMax = 4_000_000;

/** A streamed response has some 300 bytes of JSON for every few characters. */
const bytesMax = { whole: 10_000_000, streamed: 50_000_000 };

/** What a fetch is for. 500 texts may have vectors of 4,096 numbers. */
export type FetchKind = keyof typeof bytesMaxOf;
const bytesMaxOf = {
  model: (isStream: boolean) => (isStream ? bytesMax.streamed : bytesMax.whole),
  embedding: () => 50_000_000,
};

/** A fetch for provider SDKs. @param guarded Reaches only public addresses. */
export const fetchFor = (kind: FetchKind, guarded: boolean) => streamingFetch(bytesMaxOf[kind], guarded);
