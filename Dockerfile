FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# Install scripts only bring a second Node and test tooling, which a build doesn't need.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/build.ts

FROM gcr.io/distroless/nodejs24-debian12:nonroot
ARG VERSION=0.0.0
LABEL org.opencontainers.image.title="certhup" \
      org.opencontainers.image.description="The sidecar that turns a renewed certificate into a served one, and proves it by handshake" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
COPY --from=build /build/dist/ /build/LICENSE /app/
USER 65532:65532
EXPOSE 10087
# Asks the agent's own readiness: unhealthy means that the certificate in the volume is not the one being served.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["/nodejs/bin/node", "/app/certhup.mjs", "health"]
# A small nursery for young objects, and no thread that compiles: an agent that mostly waits does with a fifth less memory
# that way. And SIGUSR1, which is the reload signal of some servers, opens no debugger.
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=1", "--no-concurrent-recompilation", "--disable-sigusr1", "/app/certhup.mjs"]
