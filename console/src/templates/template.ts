import type { OperationRequest } from '../api/api.ts';

type FlowBody = NonNullable<OperationRequest<'flows.create'>['body']>;
type AgentBody = NonNullable<OperationRequest<'agents.create'>['body']>;

/** What a workspace must have before a template can run. */
export type TemplateNeed = 'model' | 'web-search';

export interface SampleRecords {
  /** Steps and prompts name it as `%type%`: another one is used if there are such records already. */
  type: string;
  items: readonly { name: string; metadata: Record<string, string> }[];
}

/** Something complete that one click creates. Plain data, one file each. */
export interface StarterTemplate {
  id: string;
  name: string;
  /** What it does, in a sentence or two. */
  summary: string;
  /** What one opens afterwards. */
  opens: 'flow' | 'agent' | 'product';
  needs: readonly TemplateNeed[];
  /** Created in this order: what one tries first is the last. */
  records: readonly SampleRecords[];
  flow?: { name: string; description: string; steps: FlowBody['flowSteps'] };
  agent?: { name: string; description: string; config: AgentBody['config']; ask: string };
  product?: {
    name: string;
    description: string;
    capability: { capabilityName: string; capabilityDescription: string };
    api?: { surface: string; slug: string };
    /** Runs the flow on the records of the last type. */
    schedule?: { surface: string; cron: string; words: string };
  };
}
