import { schemas } from 'virtual:body-schemas';
import { useMemo } from 'react';
import { agentTexts } from '../../texts/agents.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { LeaveQuestion } from '../../ui/dialogs/leave-question.tsx';
import { type BegunEdit, EditFresh } from '../../ui/resource/edit-fresh.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { type JsonObject, type JsonSchema, withoutNull } from '../../ui/values/schema.ts';
import { AgentCapabilities } from './capabilities.tsx';
import { withDefaultMembers, withoutEmptyMembers } from './parts/agent-members.ts';
import { AgentPage, useAgent } from './parts/agent-page.tsx';
import { agentFields } from './parts/fields.tsx';
import { SaveDraft } from './parts/save-draft.tsx';
import { type Agent, configs, useAgentDraft } from './parts/use-agent-draft.ts';
import { RemoteCard } from './remote-card.tsx';
import { approvalIn } from './tools/tool-effects.ts';

/** What an agent is: its instructions, its model, what it may call. Saving changes the draft. */
export function AgentEditor() {
  const { id } = useAgent();
  return (
    <AgentPage>
      <EditFresh key={id} operation="agents.get" request={{ params: { id } }}>
        {(begun) => (
          <div className="stack">
            <Editor {...begun} />
            {begun.stored.agentType === 'native' && <AgentCapabilities agent={begun.stored} />}
          </div>
        )}
      </EditFresh>
    </AgentPage>
  );
}

/** With the type of each member of the config; the body of PUT has patches there. */
const schema = schemas['agents.create'];
const shorthands = ['maxTurns', 'claudeManagedConfig', 'capabilities', 'agentType'];

function Editor(begun: BegunEdit<Agent>) {
  const draft = useAgentDraft(begun);
  const { agent, member, edited, setEdited, problems } = draft;
  const config = schemaOf(member);
  const isNative = agent.agentType === 'native';
  const besideTools = Object.keys(config.properties ?? {}).filter((name) => name !== 'tools');
  const approval = JSON.stringify(approvalIn(edited[member]));
  const custom = useMemo(() => agentFields(JSON.parse(approval)), [approval]);
  const form = {
    schema: config,
    problems,
    path: member,
    value: withDefaultMembers(edited[member]),
    onChange: (next: JsonObject) => setEdited({ ...edited, [member]: withoutEmptyMembers(next) }),
    custom,
  };
  return (
    <section className="card" aria-label={sharedTexts.agent}>
      <SchemaForm
        {...{ schema, problems, custom }}
        value={edited}
        onChange={setEdited}
        hidden={[...shorthands, ...Object.values(configs)]}
      />
      <div className={isNative ? 'agents-columns' : undefined}>
        <div>
          <SchemaForm {...form} {...(isNative && { hidden: ['tools'] })} />
        </div>
        {isNative && (
          <div>
            <SchemaForm {...form} hidden={besideTools} />
          </div>
        )}
      </div>
      {agent.agentType === 'external' && <RemoteCard agent={agent} />}
      <SaveDraft draft={draft} />
      <LeaveQuestion isChanged={draft.isChanged}>{agentTexts.unsavedChangesOfAgent}</LeaveQuestion>
    </section>
  );
}

/** The schema of a member as the root of a form. */
const schemaOf = (member: string) =>
  ({ ...withoutNull(schema.properties?.[member] ?? {}, schema), $defs: schema.$defs ?? {} }) as JsonSchema;
