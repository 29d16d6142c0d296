import { recordUpsertTool } from '../../../domain/tools/builtin/record-upsert.ts';
import { defineBuiltinRunner } from '../../tool-support/tool-runner.ts';

export const recordUpsertToolRunner = defineBuiltinRunner(recordUpsertTool, {
  async perform({ type, name, metadata, strategy = 'replace' }, { ports }) {
    if (strategy === 'merge') {
      const changed = await ports.records.update({ type, name }, metadata, 'merge');
      if (changed) return { output: { id: changed.id, type, name, metadata: changed.metadata } };
    }
    const { id } = await ports.records.upsert({ type, name, metadata });
    return { output: { id, type, name, metadata } };
  },
});
