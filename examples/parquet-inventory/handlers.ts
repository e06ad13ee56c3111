import { createScanHandlers } from 'leasehold/scan';
import { parquetInventory } from './processor.js';

/** What `ScanProcessor.fromEntry` deploys. */
export const { work, verify } = createScanHandlers({ processor: parquetInventory });
