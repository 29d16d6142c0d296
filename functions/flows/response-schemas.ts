import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo, wellFormed, wellFormedOnly } from '../../shared/core/name.ts';
import type { LoadedFlow } from '../../shared/domain/flows/flow-store.ts';
import { FlowStep } from '../../shared/domain/flows/steps/step.ts';
import { buildDashboardUrl, dashboardUrlText } from '../../shared/platform/http/dashboard-url.ts';

export const FlowParams = z.object({ id: resourceId('flow') });
export const FlowName = nameUpTo(255);
export const FlowDescription = z.string().max(2_000).refine(wellFormed, wellFormedOnly).nullable();

export const FlowResponse = z
  .object({
    id: z.string(),
    userId: z.string(),
    organizationId: z.string().nullable(),
    name: z.string(),
    description: z.string().nullable(),
    flowSteps: z.array(FlowStep),
    stepCount: z.int(),
    createdAt: z.string(),
    updatedAt: z.string(),
    lastRunAt: z.string().nullable(),
    dashboardUrl: z.string().meta({ description: dashboardUrlText }),
  })
  .meta({ id: 'Flow' });

export const toFlowResponse = ({ steps, ...flow }: LoadedFlow, baseUrl: string) => ({
  ...flow,
  flowSteps: steps,
  dashboardUrl: buildDashboardUrl(baseUrl, 'flows', flow.id),
});
