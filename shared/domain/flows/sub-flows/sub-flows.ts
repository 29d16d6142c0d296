import * as z from 'zod';
import type { FlowTarget } from './flow-targets.ts';

/** The other flows that a run runs, by their ids, as they were when it started. */
export const SubFlows = z.record(
  z.string(),
  z.object({
    name: z.string(),
    /** The version that was published; absent if none was. */
    versionId: z.string().optional(),
  }),
);
export type SubFlows = z.infer<typeof SubFlows>;

/** How many flows may be inside of each other, below the one that is run. */
export const levelsMax = 5;
/** How many flows a run may run as steps. */
export const flowsMax = 100;
/** How many steps a run may have, with those of the flows that it runs. */
export const stepsMax = 2_000;

/** @returns undefined if the flow has no such version */
export const findVersionId = (flows: SubFlows, { flowId, version }: FlowTarget): string | undefined =>
  Object.hasOwn(flows, flowId) ? (version === 'published' ? flows[flowId]?.versionId : version) : undefined;
