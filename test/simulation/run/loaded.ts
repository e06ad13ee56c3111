/*
 * What the product loads when it is first needed. A file that is read takes real time, which no seed knows: all of it is
 * loaded before the first schedule.
 */
import '../../../lib/client/admin.js';
import '../../../lib/client/claim-next.js';
import '../../../lib/client/cron-slot.js';
import '../../../lib/client/once.js';
import '../../../lib/client/resume.js';
import '../../../lib/kit/fair-acquire.js';
import '../../../lib/kit/leader.js';
import '../../../lib/kit/line-store.js';
import '../../../lib/kit/lock-group.js';
import '../../../lib/kit/read-write-lock.js';
import '../../../lib/kit/semaphore.js';
import '../../../lib/lease/later-store.js';
import '../../../lib/service-client/service-store.js';
import '../../../lib/service-client/service-transport.js';
import '../../../lib/table/dynamo-listing.js';
import '../../../lib/table/store-errors.js';
