import { useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { ShownOnceDialog } from '../../ui/dialogs/shown-once.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { newWebhookSecret } from './webhook-secret.ts';

interface Props {
  productId: string;
  surfaces: AnswerOf<'GET /v1/products/{id}'>['surfaces'];
}

export function Surfaces({ productId, surfaces }: Props) {
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<{ id: string; secret: string }>();
  const open = (id: string) => location.assign(`#/products/${productId}/surfaces/${id}`);
  return (
    <section aria-labelledby="surfaces">
      <div className="page-head">
        <h2 id="surfaces">Surfaces</h2>
        <Button onPress={() => setAdding(true)}>Add surface</Button>
      </div>
      {surfaces.length === 0 ? (
        <Empty title="No surfaces">
          <p>
            A surface is how others reach the product: an API, a chat, MCP, A2A, a webhook, or a schedule.
          </p>
        </Empty>
      ) : (
        <Table
          label="Surfaces"
          rows={surfaces}
          keyOf={({ id }) => id}
          copyId="Copy surface ID"
          columns={[
            {
              title: 'Name',
              cell: ({ id, name }) => (
                <Link to={`/products/${productId}/surfaces/${id}`}>
                  <bdi>{name}</bdi>
                </Link>
              ),
            },
            { title: 'Type', cell: ({ type }) => type },
            { title: 'Status', cell: ({ status }) => <Status of={status} /> },
            { title: 'Environment', cell: ({ environment }) => environment, isExtra: true },
            { title: 'Items', cell: ({ items }) => items.length, isNumber: true, isExtra: true },
          ]}
        />
      )}
      <EditDialog
        title="Add surface"
        route="POST /v1/products/{id}/surfaces"
        params={{ id: productId }}
        value={{ name: '', type: 'api', status: 'active' }}
        submit="Add"
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        onSaved={(surface) => {
          const secret = newWebhookSecret(surface);
          if (secret) setCreated({ id: surface.id, secret });
          else open(surface.id);
        }}
      />
      <ShownOnceDialog
        title="The signing secret of the webhook"
        value={created?.secret}
        onClose={() => created && open(created.id)}
      />
    </section>
  );
}
