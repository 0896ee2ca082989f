// The webhook of the story: it loads its pair once, into a slice that lives as long as the process, and never looks
// again. It does nothing about SIGHUP.
package main

import (
	"crypto/tls"
	"log"
	"net/http"
)

var certificates []tls.Certificate

func main() {
	certificate, err := tls.LoadX509KeyPair("/certs/tls.crt", "/certs/tls.key")
	if err != nil {
		log.Fatal(err)
	}
	certificates = append(certificates, certificate)
	http.HandleFunc("/mutate", func(response http.ResponseWriter, _ *http.Request) {
		response.Header().Set("Content-Type", "application/json")
		response.Write([]byte(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"allowed":true}}`))
	})
	server := &http.Server{Addr: ":8443", TLSConfig: &tls.Config{Certificates: certificates}}
	log.Fatal(server.ListenAndServeTLS("", ""))
}
