import { queryJsonTask } from '../../../adapters/data-formats/tasks.ts';
import { limitAsStepError } from '../../../adapters/sandbox/sandbox.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import { tryParseJson } from '../../../core/json/json.ts';
import { jsonQueryTool } from '../../../domain/tools/builtin/json-query.ts';
import { defineBuiltinRunner } from '../../tool-support/tool-runner.ts';

const timeoutMs = 1_000;

export const jsonQueryToolRunner = defineBuiltinRunner(jsonQueryTool, {
  async perform({ data, query, limit = 100 }, { ports, signal }) {
    const value = typeof data === 'string' ? (tryParseJson(data) ?? data) : data;
    const input = { data: value, path: query.trim(), limit };
    const found = await ports
      .sandbox(queryJsonTask, input, { timeoutMs, signal })
      .catch(limitAsStepError('The query', 'on this data'));
    if ('problem' in found) throw new StepError(`The query cannot be read: ${found.problem}`);
    const { values, count } = found;
    if (count > values.length) {
      ports.warn({
        code: 'LIST_CUT',
        message: `A query of JSON found ${count} values, of which ${limit} are read`,
      });
    }
    return { output: { values, count, truncated: count > values.length } };
  },
});
