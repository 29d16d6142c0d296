import { schemas } from 'virtual:body-schemas';
import { useEffect, useMemo } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { agentTexts } from '../../texts/agents.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { LeaveQuestion } from '../../ui/dialogs/leave-question.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { type BegunEdit, EditFresh } from '../../ui/resource/edit-fresh.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { isObject, type JsonObject, type JsonSchema, withoutNull } from '../../ui/values/schema.ts';
import { AgentCapabilities } from './capabilities.tsx';
import { withDefaultMembers, withoutEmptyMembers } from './parts/agent-members.ts';
import { AgentPage, useAgent } from './parts/agent-page.tsx';
import { agentFields } from './parts/fields.tsx';
import { SaveDraft } from './parts/save-draft.tsx';
import { type Agent, configs, useAgentDraft } from './parts/use-agent-draft.ts';
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
    isGrouped: true,
    problems,
    path: member,
    value: withDefaultMembers(edited[member]),
    onChange: (next: JsonObject) => setEdited({ ...edited, [member]: withoutEmptyMembers(next) }),
    custom,
  };
  return (
    <section className="card" aria-label={sharedTexts.agent}>
      <SchemaForm
        schema={schema}
        problems={problems}
        custom={custom}
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

/** What an agent on another server says of itself: its card, fetched from the saved address. */
function RemoteCard({ agent }: { agent: OperationResponse<'agents.get'> }) {
  const fetchCard = useAction('agents.fetch-agent-card', { changes: [] });
  const { externalConfig } = agent;
  const url = [externalConfig?.agentCardUrl, externalConfig?.endpoint].find(
    (each) => typeof each === 'string',
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address has another card
  useEffect(() => fetchCard.reset(), [url]);
  if (typeof url !== 'string') return null;
  const card = fetchCard.data;
  return (
    <section className="agents-card" aria-label={agentTexts.card}>
      <Button onPress={() => fetchCard.mutate({ body: { url } })} isPending={fetchCard.isPending}>
        {agentTexts.fetchCard}
      </Button>
      {fetchCard.error && <FailureNotice error={fetchCard.error} />}
      {card && (
        <div role="status">
          <p>
            <bdi>{card.name}</bdi> {card.version && <span className="help">{card.version}</span>}
          </p>
          <p>
            <bdi>{card.description}</bdi>
          </p>
          <ul>
            {(card.skills ?? []).filter(isObject).map(({ id, name, description }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: ids of another server may repeat
              <li key={index}>
                <bdi>{String(name ?? id ?? '')}</bdi>: <bdi>{String(description ?? '')}</bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
