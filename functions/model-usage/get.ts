import { createUsageReport, usageMonths } from '../../shared/domain/model-usage/usage-report.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ModelUsageQuery, ModelUsageResponse, toDayRange } from './schemas.ts';

export const getModelUsage = defineEndpoint({
  id: 'model-usage.get',
  method: 'GET',
  path: '/v1/model-usage',
  permission: 'ANALYTICS:READ',
  summary: 'Get model usage and costs',
  description:
    'Requests, tokens and costs of all model calls of the tenant, by day in UTC, counted when they happen. Includes calls of failed and deleted runs, since the provider charges them. A streamed response that broke off counts as a call without a price. `platform` sums are of calls with the deployment’s keys, `user` sums of calls with your own provider keys.',
  query: ModelUsageQuery,
  response: { kind: 'json', bodies: { 200: ModelUsageResponse } },
  errors: [400],
  needs: { usage: usageMonths, now: clock },

  async handle({ query }, { usage, now }) {
    const { startDate, endDate } = toDayRange(query, now());
    const { granularity, flowId = null, modelConfigId } = query;
    const period = query.period ?? (query.startDate ? undefined : 'month');
    const months = await usage(flowId, startDate.slice(0, 7), endDate.slice(0, 7));
    const days = months
      .flatMap((month) => month.days)
      .filter(({ date }) => date >= startDate && date <= endDate)
      .filter(({ configId }) => modelConfigId === undefined || configId === modelConfigId);
    return {
      meta: { startDate, endDate, granularity, ...(period && { period }), dataSource: 'counters' },
      ...createUsageReport(days, { startDate, endDate, granularity }),
    };
  },
});

export const handler = toLambda(getModelUsage);
