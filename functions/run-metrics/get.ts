import {
  groupMetrics,
  groupNames,
  needsInside,
  needsRecords,
  numbersReader,
} from '../../shared/domain/run-metrics/metrics-report.ts';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { readsRuns } from '../runs/schemas.ts';
import { RunMetricsQuery, RunMetricsResponse, reportPeriods } from './schemas.ts';

export const getRunMetrics = defineEndpoint({
  id: 'run-metrics.get',
  method: 'GET',
  path: '/v1/run-metrics',
  permission: readsRuns,
  summary: 'Get metrics of runs over time',
  description:
    'How many runs ended in each hour or day, how long they took, and what they used and cost. A run counts once, when it ends, and remains counted if it is deleted. Runs inside of others are part of the cost and the tokens of the run that they are in; by themselves they count only with `groupBy` flow, agent or tool, of their own kind. Records of a batch count as runs of the kind `record`, which have no cost of their own. Kinds that the caller may not read are left out. The groups with the most runs come first: at most 100, and fewer if there would be more than 10,000 points, but ten always.',
  query: RunMetricsQuery,
  response: { kind: 'json', bodies: { 200: RunMetricsResponse } },
  errors: [400],
  needs: { numbers: numbersReader, names: groupNames, now: clock },

  async handle({ query, permissions }, { numbers, names, now }) {
    const { interval, groupBy, kind: kinds, flowId, agentId, surfaceId } = query;
    const periods = reportPeriods(query, now());
    const held = await permissions();
    const kindsToRead = listKinds(held, 'READ');
    const readable = [...kindsToRead, ...(kindsToRead.includes('batch') ? (['record'] as const) : [])];
    const filter = { groupBy, kinds, readable, flowId, agentId, surfaceId };
    const range = { inside: needsInside(filter), records: needsRecords(filter) };
    const [from = '', to = from] = [periods[0], periods.at(-1)];
    const groups = groupMetrics(await numbers({ from, to, ...range }), periods, filter);
    const shown = await names(groups, groupBy, held);
    return {
      interval,
      groups: groups.map(({ key, points, total }, index) => ({
        key,
        name: shown[index] ?? null,
        points,
        total,
      })),
    };
  },
});

export const handler = toLambda(getRunMetrics);
