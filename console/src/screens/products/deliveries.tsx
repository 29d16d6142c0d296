import { useAction, usePages } from '../../api/queries.ts';
import { productTexts } from '../../texts/products.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { PagedTable } from '../../ui/tables/paged-table.tsx';
import { Time } from '../../ui/values/time.tsx';
import type { SurfaceIds } from './parts/place.ts';

/** What the outgoing webhook of a surface sent, or tries to send. */
export function Deliveries({ place }: { place: SurfaceIds }) {
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
