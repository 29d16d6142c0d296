import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { FlowStep } from '../../shared/domain/flows/steps/step.ts';
import type { LoadedVersion } from '../../shared/domain/flows/version-store.ts';

export const FlowVersionsParams = z.object({ flowId: resourceId('flow') });
export const FlowVersionParams = FlowVersionsParams.extend({ versionId: resourceId('flowver') });
export const FlowVersionType = z.enum(['published', 'draft', 'test', 'virtual']);

export const FlowVersionResponse = z
  .object({
    id: z.string(),
    flowId: z.string(),
    versionNumber: z.int(),
    versionType: FlowVersionType,
    flowConfig: z.object({ steps: z.array(FlowStep) }).nullable(),
    label: z.string().nullable(),
    notes: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'FlowVersion' });

export const toFlowVersionResponse = ({ number, type, steps, ...version }: LoadedVersion) => ({
  ...version,
  versionNumber: number,
  versionType: type,
  flowConfig: { steps },
});
