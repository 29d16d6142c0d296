import { vectorSearchTool } from '../../../domain/tools/builtin/vector-search.ts';
import { defineBuiltinRunner } from '../../tool-support/tool-runner.ts';

const timeoutMs = 20_000;

export const vectorSearchToolRunner = defineBuiltinRunner(vectorSearchTool, {
  async perform({ collection, query, embeddingModel: model, limit = 10, threshold = -1 }, { ports, signal }) {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const { vectors } = await ports.embed({ model, texts: [query], signal: limited });
    const found = await ports.vectors.query(collection.trim(), vectors[0] ?? [], limit);
    return { output: { matches: found.filter(({ score }) => score >= threshold) } };
  },
});
