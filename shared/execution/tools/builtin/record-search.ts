import { recordSearchTool } from '../../../domain/tools/builtin/record-search.ts';
import { defineBuiltinRunner } from '../../tool-support/tool-runner.ts';

export const recordSearchToolRunner = defineBuiltinRunner(recordSearchTool, {
  async perform({ fields, limit = 10, ...query }, { ports }) {
    const { records, hasMore } = await ports.records.search({ ...query, limit });
    const toShownRecord = ({ metadata, ...record }: (typeof records)[number]) => ({
      ...record,
      metadata: fields ? pickFields(metadata, fields) : metadata,
    });
    return { output: { records: records.map(toShownRecord), hasMore } };
  },
});

const pickFields = (metadata: Record<string, unknown>, fields: readonly string[]) =>
  Object.fromEntries(
    fields.flatMap((name) => (Object.hasOwn(metadata, name) ? [[name, metadata[name]]] : [])),
  );
