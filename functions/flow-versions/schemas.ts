import * as z from 'zod';
import { idOf } from '../../shared/core/ids.ts';
import { FlowStep } from '../../shared/domain/flows/steps/step.ts';
import type { LoadedVersion } from '../../shared/domain/flows/version-store.ts';

export const VersionsParams = z.object({ flowId: idOf('flow') });
export const VersionParams = VersionsParams.extend({ versionId: idOf('flowver') });
export const VersionType = z.enum(['published', 'draft', 'test', 'virtual']);

export const FlowVersionResponse = z
  .object({
    id: z.string(),
    flowId: z.string(),
    versionNumber: z.int(),
    versionType: VersionType,
    flowConfig: z.object({ steps: z.array(FlowStep) }).nullable(),
    label: z.string().nullable(),
    notes: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'FlowVersion' });

export const toVersionResponse = ({ number, type, steps, ...version }: LoadedVersion) => ({
  ...version,
  versionNumber: number,
  versionType: type,
  flowConfig: { steps },
});
