import { schemas } from 'virtual:body-schemas';
import { useMemo, useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Failure, problemsOf } from '../../ui/failure.tsx';
import { LeaveQuestion } from '../../ui/leave-question.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { type JsonObject, type JsonSchema, withoutNull } from '../../ui/schema-form/schema.ts';
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx';
import { setMembersOf, shownOf } from './agent-members.ts';
import { AgentPage, useAgent } from './agent-page.tsx';
import { patchOf } from './agent-patch.ts';
import { Capabilities } from './capabilities.tsx';
import { agentField } from './fields.tsx';
import { RemoteCard } from './remote-card.tsx';

type Agent = AnswerOf<'GET /v1/agents/{id}'>;

/** What an agent is: its instructions, its model, what it may call. Saving changes the draft. */
export function AgentEditor() {
  const { agent } = useAgent();
  return (
    <AgentPage>
      <Loaded of={agent}>
        {(loaded) => (
          <div className="stack">
            <Editor key={loaded.id} agent={loaded} />
            {loaded.agentType === 'native' && <Capabilities agent={loaded} />}
          </div>
        )}
      </Loaded>
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

function Editor({ agent }: { agent: Agent }) {
  const [saved, setSaved] = useState(() => editedOf(agent));
  const [edited, setEdited] = useState(saved);
  const save = useAction('PUT /v1/agents/{id}', { changes: ['agents', 'agent-versions'] });
  const problems = useMemo(() => problemsOf(save.error), [save.error]);
  const isChanged = useMemo(() => JSON.stringify(saved) !== JSON.stringify(edited), [saved, edited]);
  const member = configs[agent.agentType];

  async function store() {
    await save.mutateAsync({ params: { id: agent.id }, body: patchOf(saved, edited) });
    setSaved(edited);
    notify('Saved as the draft');
  }
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
      {save.error && <Failure error={save.error} />}
      {save.data?._warnings?.map((warning) => (
        <p key={warning} className="note" role="status">
          {warning}
        </p>
      ))}
      <div className="actions agents-save">
        <Button
          look="primary"
          isDisabled={!isChanged}
          isPending={save.isPending}
          onPress={() => store().catch(shown)}
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
      <LeaveQuestion isChanged={isChanged} what="The agent" />
    </section>
  );
}

/** The schema of a member as the root of a form. */
const schemaOf = (member: string) =>
  ({ ...withoutNull(schema.properties?.[member] ?? {}, schema), $defs: schema.$defs ?? {} }) as JsonSchema;

/** By `Failure`. */
const shown = () => {};

/** The members that the form edits, without those that are not set. */
function editedOf(agent: Agent): JsonObject {
  const { name, description, icon, primaryFlowId, agentType } = agent;
  const config = agent[configs[agentType]] ?? {};
  const members = { name, description, icon, primaryFlowId, [configs[agentType]]: config };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
