// A Go server as it should be: SIGHUP makes it load its pair anew, and a pair that can't be loaded changes nothing.
package main

import (
	"crypto/tls"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

func main() {
	var current atomic.Pointer[tls.Certificate]
	load := func() error {
		certificate, err := tls.LoadX509KeyPair("/certs/tls.crt", "/certs/tls.key")
		if err == nil {
			current.Store(&certificate)
		}
		return err
	}
	if err := load(); err != nil {
		log.Fatal(err)
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			if err := load(); err != nil {
				log.Print(err)
			}
		}
	}()
	server := &http.Server{Addr: ":8443", TLSConfig: &tls.Config{
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return current.Load(), nil },
	}}
	log.Fatal(server.ListenAndServeTLS("", ""))
}
