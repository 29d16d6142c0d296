import { useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { targetFields } from './pickers.tsx';

interface Props {
  productId: string;
  capabilities: AnswerOf<'GET /v1/products/{id}'>['capabilities'];
}

/** The flows and agents of a product. */
export function Capabilities({ productId, capabilities }: Props) {
  const [isAdding, setAdding] = useState(false);
  const remove = useAction('DELETE /v1/products/{id}/capabilities/{capabilityId}');
  return (
    <section aria-labelledby="capabilities">
      <div className="page-head">
        <h2 id="capabilities">Capabilities</h2>
        <Button onPress={() => setAdding(true)}>Add capability</Button>
      </div>
      {capabilities.length === 0 ? (
        <Empty title="No capabilities">
          <p>A capability is a flow or an agent that the surfaces of this product can offer.</p>
        </Empty>
      ) : (
        <Table
          label="Capabilities"
          rows={capabilities}
          keyOf={({ id }) => id}
          copyId="Copy capability ID"
          columns={[
            { title: 'Name', cell: ({ capabilityName }) => <bdi>{capabilityName}</bdi> },
            {
              title: 'Runs',
              cell: ({ flowId, agentId }) =>
                flowId ? (
                  <Link to={`/flows/${flowId}`}>a flow</Link>
                ) : (
                  <Link to={`/agents/${agentId}`}>an agent</Link>
                ),
            },
            {
              title: 'Description',
              cell: ({ capabilityDescription }) => <bdi>{capabilityDescription}</bdi>,
              isExtra: true,
            },
            {
              title: 'Actions',
              width: 'wide',
              cell: ({ id, capabilityName }) => (
                <ConfirmButton
                  look="quiet"
                  title={`Remove ${capabilityName}?`}
                  question="Surfaces that offer it do not offer it any more. The flow or the agent stays."
                  confirm="Remove"
                  action={() => remove.mutateAsync({ params: { id: productId, capabilityId: id } })}
                >
                  Remove
                </ConfirmButton>
              ),
            },
          ]}
        />
      )}
      <EditDialog
        title="Add capability"
        route="POST /v1/products/{id}/capabilities"
        params={{ id: productId }}
        value={{ capabilityName: '', flowId: null, agentId: null }}
        custom={targetFields}
        submit="Add"
        isOpen={isAdding}
        onClose={() => setAdding(false)}
      >
        <p className="help">Choose a flow or an agent.</p>
      </EditDialog>
    </section>
  );
}
