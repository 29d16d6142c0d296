import type { OperationResponse } from '../../../api/api.ts';
import { productTexts } from '../../../texts/products.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Choice } from '../../../ui/forms/choice.tsx';
import { EditDialog } from '../../../ui/resource/edit-dialog.tsx';
import type { SurfaceIds } from './place.ts';

export type SurfaceItemRow = OperationResponse<'surfaces.get'>['items'][number];
export type ListedCapabilities = OperationResponse<'products.get'>['capabilities'];

export const itemName = (item: SurfaceItemRow) =>
  item.exposedName ?? item.capabilityName ?? item.capabilityId;

interface AddProps {
  place: SurfaceIds;
  capabilities: ListedCapabilities;
  isOpen: boolean;
  onClose: () => void;
}

export const AddItem = ({ place, capabilities, isOpen, onClose }: AddProps) => (
  <EditDialog
    title={productTexts.addItem}
    operation="surfaces.add-item"
    params={place}
    value={{ capabilityId: capabilities[0]?.id ?? '' }}
    custom={({ name, value, onChange, problem }) =>
      name === 'capabilityId' ? (
        <Choice
          label={productTexts.capability}
          value={String(value)}
          options={capabilities.map((each) => ({
            value: each.id,
            label: each.capabilityName.slice(0, 120),
          }))}
          onChange={onChange}
          problem={problem}
        />
      ) : undefined
    }
    submit={sharedTexts.add}
    isOpen={isOpen}
    onClose={onClose}
  />
);

interface ChangeProps {
  place: SurfaceIds;
  item: SurfaceItemRow;
  onClose: () => void;
}

export const ChangeItem = ({ place, item, onClose }: ChangeProps) => (
  <EditDialog
    title={sharedTexts.editNamed(itemName(item))}
    operation="surfaces.update-item"
    params={{ ...place, itemId: item.id }}
    value={{
      enabled: item.enabled,
      isEntryPoint: item.isEntryPoint,
      ...(item.endpointSlug && { endpointSlug: item.endpointSlug }),
      ...(item.exposedName && { exposedName: item.exposedName }),
      ...(item.exposedDescription && { exposedDescription: item.exposedDescription }),
    }}
    isOpen
    onClose={onClose}
  />
);
