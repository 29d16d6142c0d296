import { useEffect } from 'react';
import { useAction, useCall } from '../../../api/queries.ts';
import { playgroundTexts } from '../../../texts/playground.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { ConfirmButton } from '../../../ui/dialogs/confirm-button.tsx';
import { Link } from '../../../ui/link.tsx';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { notify } from '../../../ui/notices.tsx';
import type { BegunEdit } from '../../../ui/resource/edit-fresh.tsx';
import { isObject, type JsonObject } from '../../../ui/values/schema.ts';
import { withDefaultMembers, withoutEmptyMembers } from '../parts/agent-members.ts';
import { Instructions } from '../parts/fields.tsx';
import { ModelField } from '../parts/model-field.tsx';
import { SaveDraft } from '../parts/save-draft.tsx';
import { type Agent, useAgentDraft } from '../parts/use-agent-draft.ts';
import { AgentVersionFacts } from '../parts/version-summary.tsx';
import { approvalIn } from '../tools/tool-effects.ts';
import { ToolsField } from '../tools/tools-field.tsx';

interface Props {
  begun: BegunEdit<Agent>;
  onChanged: (isChanged: boolean) => void;
}

/** The draft: the members that one changes between two messages. The others are in the editor. */
export function DraftConfig({ begun, onChanged }: Props) {
  const draft = useAgentDraft(begun);
  const { agent, edited, setEdited, problems, isChanged, save } = draft;
  const publish = useAction('agents.publish', {
    changes: ['agents', 'agent-versions'],
    onSuccess: () => notify(playgroundTexts.versionPublished),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the newest callback, only what it is told counts
  useEffect(() => onChanged(isChanged), [isChanged]);
  const config = withDefaultMembers(edited.config);
  const set = (members: JsonObject) =>
    setEdited({ ...edited, config: withoutEmptyMembers({ ...config, ...members }) });
  const tools = isObject(config.tools) ? config.tools : {};
  return (
    <>
      <ModelField
        value={textOf(config.model)}
        onChange={(model) => set({ model })}
        problem={problems['config.model']}
      />
      <Instructions
        value={textOf(config.systemPrompt)}
        onChange={(systemPrompt) => set({ systemPrompt })}
        problem={problems['config.systemPrompt']}
      />
      <ToolsField
        label={sharedTexts.tools}
        value={tools.toolIds}
        onChange={(toolIds) => set({ tools: { ...tools, toolIds } })}
        problem={problems['config.tools.toolIds']}
        approval={approvalIn(config)}
      />
      <p className="help">
        <Link to={`/agents/${agent.id}`}>{playgroundTexts.editAllSettings}</Link>
      </p>
      <SaveDraft draft={draft}>
        <ConfirmButton
          look="plain"
          title={playgroundTexts.saveAsNewVersion}
          question={playgroundTexts.savesAndPublishesDraft}
          confirm={sharedTexts.publish}
          action={async () => {
            if (isChanged) await save();
            await publish.mutateAsync({ params: { id: agent.id } });
          }}
        >
          {playgroundTexts.saveAsVersion}
        </ConfirmButton>
      </SaveDraft>
    </>
  );
}

/** What callers get. */
export function PublishedConfig({ agentId }: { agentId: string }) {
  const version = useCall('agent-versions.get-published', { params: { agentId } });
  return (
    <Loaded of={version}>
      {({ versionNumber, agentConfig }) => (
        <AgentVersionFacts number={versionNumber} config={agentConfig?.config ?? {}} />
      )}
    </Loaded>
  );
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
