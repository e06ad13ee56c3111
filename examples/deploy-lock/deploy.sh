#!/usr/bin/env bash
# What runs under the lock. LEASEHOLD_TOKEN rises with every deployment: label what you deploy with it, and let an older
# deployment that wakes up late see that it is not the newest any more.
set -eu
echo "deploying under $LEASEHOLD_NAME, token $LEASEHOLD_TOKEN"
if [ -n "${RELEASES_DIR:-}" ]; then
  newest=$(ls "$RELEASES_DIR" | sort -n | tail -n 1)
  if [ -n "$newest" ] && [ "$newest" -gt "$LEASEHOLD_TOKEN" ]; then
    echo "release $newest is newer; nothing is deployed" >&2
    exit 1
  fi
  mkdir "$RELEASES_DIR/$LEASEHOLD_TOKEN"
fi
