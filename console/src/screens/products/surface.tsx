import { useState } from 'react';
import { useAction, useCall, usePages } from '../../api/queries.ts';
import { useParam } from '../../routing/screens.ts';
import { productTexts } from '../../texts/products.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { MoreMenu } from '../../ui/dialogs/confirm-button.tsx';
import { ShownOnceDialog } from '../../ui/dialogs/shown-once.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { Empty, Loading } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { Addresses } from './addresses.tsx';
import { Items } from './items.tsx';
import { Keys } from './keys.tsx';
import { newWebhookSecret } from './parts/webhook-secret.ts';
import { Snippets } from './requests/snippets.tsx';
import { SurfaceSchedules } from './schedules/schedules.tsx';
import '../../style/products.css';
import { PagedTable } from '../../ui/tables/paged-table.tsx';
import { Time } from '../../ui/values/time.tsx';
import type { SurfaceIds } from './parts/place.ts';

const withKeys = ['api', 'mcp', 'a2a'];

/** A surface: what it offers, who may call it, and how. */
export function OneSurface() {
  const place = { id: useParam('productId'), surfaceId: useParam('surfaceId') };
  const surface = useCall('surfaces.get', { params: place });
  const product = useCall('products.get', { params: { id: place.id } });
  const [isEditing, setEditing] = useState(false);
  const [secret, setSecret] = useState<string>();
  const change = useAction('surfaces.update');
  const remove = useAction('surfaces.delete', {
    onSuccess() {
      notify(productTexts.surfaceDeleted);
      location.assign(`#/products/${place.id}`);
    },
  });
  const above = [
    { to: '/products', label: sharedTexts.products },
    { to: `/products/${place.id}`, label: product.data?.name ?? sharedTexts.product },
  ];
  if (!surface.data)
    return (
      <ScreenPage title={sharedTexts.surface} above={above}>
        {surface.error ? (
          <FailureNotice error={surface.error} onRetry={() => surface.refetch()} />
        ) : (
          <Loading />
        )}
      </ScreenPage>
    );
  const { name, type, status, environment, behavior, inbound, outbound, items, keys } = surface.data;
  const isActive = status === 'active';
  const { webhook } = outbound as { webhook?: unknown };
  return (
    <ScreenPage
      title={name}
      above={above}
      id={<ShownId id={place.surfaceId} label={productTexts.copySurfaceId} />}
      actions={
        <>
          <Button
            isPending={change.isPending}
            onPress={() => change.mutate({ params: place, body: { status: isActive ? 'paused' : 'active' } })}
          >
            {isActive ? productTexts.pause : productTexts.activate}
          </Button>
          <Button onPress={() => setEditing(true)}>{sharedTexts.edit}</Button>
          <MoreMenu
            title={productTexts.deleteThisSurface}
            question={productTexts.keysAreDeletedToo}
            confirm={sharedTexts.delete}
            action={() => remove.mutateAsync({ params: place })}
          >
            {sharedTexts.delete}
          </MoreMenu>
        </>
      }
    >
      <p>
        {type}, {environment} <StatusLabel of={status} />
      </p>
      {change.error && <FailureNotice error={change.error} />}
      <div className="stack">
        <Addresses place={place} type={type} />
        {type === 'schedule' ? (
          <SurfaceSchedules place={place} />
        ) : (
          <Items place={place} type={type} items={items} capabilities={product.data?.capabilities ?? []} />
        )}
        <Snippets place={place} type={type} items={items} />
        {withKeys.includes(type) && <Keys place={place} keys={keys} />}
        {webhook !== undefined && <Deliveries place={place} />}
      </div>
      <EditDialog
        title={productTexts.editSurface}
        operation="surfaces.update"
        params={place}
        value={{ name, environment, status, behavior, inbound, outbound }}
        isOpen={isEditing}
        onClose={() => setEditing(false)}
        onSaved={(surface) => setSecret(newWebhookSecret(surface))}
      />
      <ShownOnceDialog
        title={productTexts.signingSecret}
        value={secret}
        onClose={() => setSecret(undefined)}
      />
    </ScreenPage>
  );
}

/** What the outgoing webhook of a surface sent, or tries to send. */
function Deliveries({ place }: { place: SurfaceIds }) {
  const pages = usePages('surfaces.deliveries', { params: place });
  const resend = useAction('surfaces.resend-delivery', {
    onSuccess: () => notify(productTexts.deliveryResent),
  });
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">{productTexts.webhookDeliveries}</h2>
      {resend.error && <FailureNotice error={resend.error} />}
      <PagedTable
        label={productTexts.webhookDeliveries}
        pages={pages}
        keyOf={({ id }) => id}
        copyId={productTexts.copyDeliveryId}
        columns={[
          { title: productTexts.event, cell: ({ type }) => <code>{type}</code> },
          { title: sharedTexts.status, cell: ({ status }) => <StatusLabel of={status} /> },
          {
            title: productTexts.lastAttempt,
            cell: ({ attempts }) => {
              const last = attempts.at(-1);
              return last ? (
                <bdi>{last.error ?? productTexts.answered(last.statusCode)}</bdi>
              ) : (
                productTexts.noAttempt
              );
            },
            isExtra: true,
          },
          { title: sharedTexts.created, cell: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
          {
            title: sharedTexts.actions,
            width: 'wide',
            cell: ({ id }) => (
              <Button look="quiet" onPress={() => resend.mutate({ params: { ...place, deliveryId: id } })}>
                {productTexts.sendAgain}
              </Button>
            ),
          },
        ]}
        empty={<Empty title={productTexts.noDeliveriesYet} />}
      />
    </section>
  );
}
