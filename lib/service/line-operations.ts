import { publish } from '../events/events.js';
import type { SuccessOf } from './answers.js';
import type { RequestOf } from './requests.js';
import { type ServiceHost, shownTime } from './service-host.js';

/** The tickets of who waits in line for a lock, first come first, those past their deadline among them. */
export async function line(
  { context }: ServiceHost,
  { name }: RequestOf<'line'>,
  signal: AbortSignal,
): Promise<SuccessOf<'line'>> {
  await context.store.ensureTime(signal);
  const tickets = await context.store.readLine(name, signal);
  return {
    ok: true,
    tickets: tickets.map(({ id, deadline }) => ({ id, deadline })),
    now: shownTime(context),
  };
}

/** Appends a ticket, once: the same request, sent again, finds it. */
export async function joinLine(
  { context }: ServiceHost,
  { name, ticketId, deadline }: RequestOf<'joinLine'>,
  signal: AbortSignal,
): Promise<SuccessOf<'joinLine'>> {
  await context.store.ensureTime(signal);
  await context.store.joinLine(name, { id: ticketId, deadline }, signal);
  return { ok: true, joined: true, now: shownTime(context) };
}

/** Takes a ticket out; one that is not there is out. */
export async function leaveLine(
  { context }: ServiceHost,
  { name, ticketId }: RequestOf<'leaveLine'>,
  signal: AbortSignal,
): Promise<SuccessOf<'leaveLine'>> {
  await context.store.ensureTime(signal);
  await context.store.leaveLine(name, { id: ticketId }, signal);
  return { ok: true, left: true, now: shownTime(context) };
}

/** Asks the holder of the lease that was seen to let go; it learns of it with its next renewal. */
export async function requestRelease(
  { context }: ServiceHost,
  { name, leaseId, token, reason = '' }: RequestOf<'requestRelease'>,
  signal: AbortSignal,
): Promise<SuccessOf<'requestRelease'>> {
  await context.store.ensureTime(signal);
  const seen = { name, ...(leaseId !== undefined && { leaseId }), ...(token !== undefined && { token }) };
  const asked = await context.store.requestRelease(seen, reason, signal);
  if (asked) publish('release-asked', { name, leaseId, token, reason });
  return { ok: true, asked, now: shownTime(context) };
}
