import { schemas } from 'virtual:body-schemas';
import { useMemo, useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { LeaveQuestion } from '../../ui/dialogs/leave-question.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { problemsOf } from '../../ui/loading/failure-text.ts';
import { notify } from '../../ui/notices.tsx';
import { useCarefulSave } from '../../ui/resource/careful-save.tsx';
import { type Begun, EditFresh } from '../../ui/resource/edit-fresh.tsx';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { type JsonObject, type JsonSchema, withoutNull } from '../../ui/values/schema.ts';
import { setMembersOf, shownOf } from './agent-members.ts';
import { AgentPage, useAgent } from './agent-page.tsx';
import { patchOf } from './agent-patch.ts';
import { Capabilities } from './capabilities.tsx';
import { agentField } from './fields.tsx';
import { RemoteCard } from './remote-card.tsx';

type Agent = AnswerOf<'GET /v1/agents/{id}'>;
type Editable = Omit<Agent, 'capabilities' | 'primaryFlow'>;

/** What an agent is: its instructions, its model, what it may call. Saving changes the draft. */
export function AgentEditor() {
  const { id } = useAgent();
  return (
    <AgentPage>
      <EditFresh key={id} route="GET /v1/agents/{id}" request={{ params: { id } }}>
        {(begun) => (
          <div className="stack">
            <Editor {...begun} />
            {begun.stored.agentType === 'native' && <Capabilities agent={begun.stored} />}
          </div>
        )}
      </EditFresh>
    </AgentPage>
  );
}

/** With the type of each member of the config; the body of PUT has patches there. */
const schema = schemas['POST /v1/agents'];
const configs = {
  native: 'config',
  external: 'externalConfig',
  vendor_managed: 'vendorManagedConfig',
} as const;
const shorthands = ['maxTurns', 'claudeManagedConfig', 'capabilities', 'agentType'];

function Editor(begun: Begun<Agent>) {
  const { stored: agent } = begun;
  const [saved, setSaved] = useState(() => editedOf(agent));
  const [edited, setEdited] = useState(saved);
  const put = useAction('PUT /v1/agents/{id}', { changes: ['agents', 'agent-versions'] });
  const { save, isPending, problem, error, ...answer } = useCarefulSave({
    ...begun,
    contentOf: editedOf,
    async write(now) {
      const body = patchOf(editedOf(now), edited);
      const written = await put.mutateAsync({ params: { id: agent.id }, body });
      setSaved(edited);
      notify('Draft saved');
      return written;
    },
  });
  const problems = useMemo(() => problemsOf(error), [error]);
  const isChanged = useMemo(() => JSON.stringify(saved) !== JSON.stringify(edited), [saved, edited]);
  const member = configs[agent.agentType];

  return (
    <section className="card" aria-label="Agent">
      <SchemaForm
        {...{ schema, problems }}
        value={edited}
        onChange={setEdited}
        hidden={[...shorthands, ...Object.values(configs)]}
        custom={agentField}
      />
      <SchemaForm
        {...{ schema: schemaOf(member), problems, path: member }}
        value={shownOf(edited[member])}
        onChange={(config) => setEdited({ ...edited, [member]: setMembersOf(config) })}
        custom={agentField}
      />
      {agent.agentType === 'external' && <RemoteCard agent={agent} />}
      {problem}
      {answer.saved?._warnings?.map((warning) => (
        <p key={warning} className="note" role="status">
          {warning}
        </p>
      ))}
      <div className="actions agents-save">
        <Button
          look="primary"
          isDisabled={!isChanged}
          isPending={isPending}
          onPress={() => save().catch(shown)}
        >
          Save
        </Button>
        <Button look="quiet" isDisabled={!isChanged} onPress={() => setEdited(saved)}>
          Discard changes
        </Button>
        <span role="status" className="help">
          {isChanged ? 'Changes are not saved' : ''}
        </span>
      </div>
      <LeaveQuestion isChanged={isChanged}>The agent has changes that are not saved.</LeaveQuestion>
    </section>
  );
}

/** The schema of a member as the root of a form. */
const schemaOf = (member: string) =>
  ({ ...withoutNull(schema.properties?.[member] ?? {}, schema), $defs: schema.$defs ?? {} }) as JsonSchema;

/** By `problem`. */
const shown = () => {};

/** The members that the form edits, without those that are not set. */
function editedOf(agent: Editable): JsonObject {
  const { name, description, icon, primaryFlowId, agentType } = agent;
  const config = agent[configs[agentType]] ?? {};
  const members = { name, description, icon, primaryFlowId, [configs[agentType]]: config };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
