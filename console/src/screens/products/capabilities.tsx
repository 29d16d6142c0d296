import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { productTexts } from '../../texts/products.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { EditDialog } from '../../ui/resource/edit-dialog.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { targetFields } from './parts/pickers.tsx';
import { TargetLink } from './parts/target-link.tsx';

interface Props {
  productId: string;
  capabilities: OperationResponse<'products.get'>['capabilities'];
}

/** The flows and agents of a product. */
export function ProductCapabilities({ productId, capabilities }: Props) {
  const [isAdding, setAdding] = useState(false);
  const remove = useAction('products.remove-capability');
  return (
    <section aria-labelledby="capabilities">
      <div className="page-head">
        <h2 id="capabilities">{sharedTexts.capabilities}</h2>
        <Button onPress={() => setAdding(true)}>{sharedTexts.addCapability}</Button>
      </div>
      {capabilities.length === 0 ? (
        <Empty title={sharedTexts.noCapabilities}>
          <p>{productTexts.aboutCapabilities}</p>
        </Empty>
      ) : (
        <Table
          label={sharedTexts.capabilities}
          rows={capabilities}
          keyOf={({ id }) => id}
          copyId={sharedTexts.copyCapabilityId}
          columns={[
            { title: sharedTexts.name, cell: ({ capabilityName }) => <bdi>{capabilityName}</bdi> },
            {
              title: productTexts.whatItRuns,
              cell: ({ flowId, agentId }) => <TargetLink flowId={flowId} agentId={agentId} />,
            },
            {
              title: sharedTexts.description,
              cell: ({ capabilityDescription }) => <bdi>{capabilityDescription}</bdi>,
              isExtra: true,
            },
            {
              title: sharedTexts.actions,
              width: 'wide',
              cell: ({ id, capabilityName }) => (
                <ConfirmButton
                  look="quiet"
                  title={sharedTexts.removeQuestion(capabilityName)}
                  question={productTexts.surfacesStopOffering}
                  confirm={sharedTexts.remove}
                  action={() => remove.mutateAsync({ params: { id: productId, capabilityId: id } })}
                >
                  {sharedTexts.remove}
                </ConfirmButton>
              ),
            },
          ]}
        />
      )}
      <EditDialog
        title={sharedTexts.addCapability}
        operation="products.add-capability"
        params={{ id: productId }}
        value={{ capabilityName: '', flowId: null, agentId: null }}
        custom={targetFields}
        submit={sharedTexts.add}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
      >
        <p className="help">{productTexts.chooseFlowOrAgent}</p>
      </EditDialog>
    </section>
  );
}
