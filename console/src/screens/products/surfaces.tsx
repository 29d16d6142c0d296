import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { productTexts } from '../../texts/products.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ShownOnceDialog } from '../../ui/dialogs/shown-once.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { newWebhookSecret } from './parts/webhook-secret.ts';

interface Props {
  productId: string;
  surfaces: OperationResponse<'products.get'>['surfaces'];
}

export function Surfaces({ productId, surfaces }: Props) {
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<{ id: string; secret: string }>();
  const open = (id: string) => location.assign(`#/products/${productId}/surfaces/${id}`);
  return (
    <section aria-labelledby="surfaces">
      <div className="page-head">
        <h2 id="surfaces">{productTexts.surfaces}</h2>
        <Button onPress={() => setAdding(true)}>{productTexts.addSurface}</Button>
      </div>
      {surfaces.length === 0 ? (
        <Empty title={productTexts.noSurfaces}>
          <p>{productTexts.aboutSurfaces}</p>
        </Empty>
      ) : (
        <Table
          label={productTexts.surfaces}
          rows={surfaces}
          keyOf={({ id }) => id}
          copyId={productTexts.copySurfaceId}
          columns={[
            {
              title: sharedTexts.name,
              cell: ({ id, name }) => (
                <Link to={`/products/${productId}/surfaces/${id}`}>
                  <bdi>{name}</bdi>
                </Link>
              ),
            },
            { title: sharedTexts.type, cell: ({ type }) => type },
            { title: sharedTexts.status, cell: ({ status }) => <StatusLabel of={status} /> },
            { title: productTexts.environment, cell: ({ environment }) => environment, isExtra: true },
            { title: productTexts.items, cell: ({ items }) => items.length, isNumber: true, isExtra: true },
          ]}
        />
      )}
      <EditDialog
        title={productTexts.addSurface}
        operation="surfaces.create"
        params={{ id: productId }}
        value={{ name: '', type: 'api', status: 'active' }}
        submit={sharedTexts.add}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        onSaved={(surface) => {
          const secret = newWebhookSecret(surface);
          if (secret) setCreated({ id: surface.id, secret });
          else open(surface.id);
        }}
      />
      <ShownOnceDialog
        title={productTexts.signingSecret}
        value={created?.secret}
        onClose={() => created && open(created.id)}
      />
    </section>
  );
}
