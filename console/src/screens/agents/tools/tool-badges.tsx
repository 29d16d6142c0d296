import { agentTexts } from '../../../texts/agents.ts';
import type { ToolEffect } from './tool-effects.ts';

interface Props {
  effect: ToolEffect | undefined;
  /** Absent for a tool that the agent does not have. */
  needsApproval?: boolean;
}

/** What a tool may do, in words. */
export const ToolBadges = ({ effect, needsApproval }: Props) => (
  <span className="agents-badges">
    {effect && <span className="agents-badge">{effect.what}</span>}
    {effect && (
      <span className={effect.hasEffects ? 'agents-badge warn' : 'agents-badge'}>
        {effect.hasEffects ? agentTexts.sideEffects : agentTexts.noSideEffects}
      </span>
    )}
    {needsApproval !== undefined && (
      <span className={needsApproval ? 'agents-badge good' : 'agents-badge'}>
        {needsApproval ? agentTexts.needsApproval : agentTexts.noApproval}
      </span>
    )}
  </span>
);
