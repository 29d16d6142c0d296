import type { ReactNode } from 'react';
import { agentTexts } from '../../../texts/agents.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import type { AgentDraft } from './use-agent-draft.ts';

/** Saves or discards the edits of a draft, and says what came of it. */
export const SaveDraft = ({ draft, children }: { draft: AgentDraft; children?: ReactNode }) => (
  <>
    {draft.problem}
    {draft.warnings.map((warning) => (
      <p key={warning} className="note" role="status">
        {warning}
      </p>
    ))}
    <div className="actions agents-save">
      <Button
        look="primary"
        isDisabled={!draft.isChanged}
        isPending={draft.isPending}
        onPress={() => draft.save().catch(shown)}
      >
        {sharedTexts.save}
      </Button>
      {children}
      <Button look="quiet" isDisabled={!draft.isChanged} onPress={draft.discard}>
        {agentTexts.discardChanges}
      </Button>
      <span role="status" className="help">
        {draft.isChanged ? agentTexts.unsavedChanges : ''}
      </span>
    </div>
  </>
);

/** By `problem`. */
const shown = () => {};
